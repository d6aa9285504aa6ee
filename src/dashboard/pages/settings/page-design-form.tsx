/** Form for the pages that a domain's visitors see instead of a destination: name, logo and texts. */
import { Group, Image, Input, Stack, Textarea, TextInput } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Mode } from "../../../core/account.ts";
import type { Domain } from "../../../core/contract/domains.ts";
import { type PageDesign, PAGES_WITH_TEXT } from "../../../core/http/plain-page.ts";
import { PAGE_LOGO_MAX_BYTES, PAGE_NAME_MAX_CHARS, PAGE_TEXT_MAX_CHARS } from "../../../core/limits.ts";
import { apiClients, queryClient, unwrap, useApi } from "../../api/client.ts";
import { SmallButton } from "../../components/buttons.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { FilePicker } from "../../components/inputs.tsx";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { pageDesignTexts as texts } from "../../texts/settings.ts";

interface DialogProps {
  domain: Domain;
  onClose: () => void;
}

export default function PageDesignDialog({ domain, onClose }: DialogProps) {
  const { mode } = useApi();
  const design = useQuery(designQuery(mode, domain.id));
  return (
    <FormModal onClose={onClose} title={texts.title(readableHost(domain.domain))} size="lg">
      <Loaded query={design} skeleton={<ListSkeleton rows={4} height={56} />}>
        {(stored) => <DesignForm domain={domain} onClose={onClose} stored={stored} />}
      </Loaded>
    </FormModal>
  );
}

function designQuery(mode: Mode, id: string) {
  return queryOptions({
    queryKey: [mode, "page-design", id],
    queryFn: ({ signal }) => unwrap(apiClients[mode].domains[":id"].page.$get({ param: { id } }, { init: { signal } })),
    // The form must not change while it is edited.
    refetchOnWindowFocus: false,
    staleTime: Infinity,
    gcTime: 0,
  });
}

type Values = Record<keyof PageDesign, string>;

const EMPTY = Object.fromEntries(["name", "logo", ...PAGES_WITH_TEXT].map((member) => [member, ""])) as Values;

function DesignForm({ domain, onClose, stored }: DialogProps & { stored: PageDesign }) {
  const { api, mode } = useApi();
  const { form, draft, save } = useSavedForm<Values, PageDesign>({
    name: `page-design:${domain.id}`,
    initialValues: Object.assign({}, EMPTY, stored),
    send: (values, init) => {
      const json = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
      return unwrap(api.domains[":id"].page.$put({ param: { id: domain.id }, json }, init));
    },
    saved: () => texts.saved,
    refresh: () => queryClient.removeQueries(designQuery(mode, domain.id)),
    onClose,
  });
  return (
    <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        placeholder={readableHost(domain.domain)}
        maxLength={PAGE_NAME_MAX_CHARS}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <LogoInput
        value={form.values.logo}
        error={form.errors.logo}
        onChange={(logo) => form.setFieldValue("logo", logo)}
      />
      <Stack gap="sm" role="group" aria-label={texts.texts}>
        {PAGES_WITH_TEXT.map((page) => (
          <Textarea
            key={page}
            label={texts.pages[page].label}
            placeholder={texts.pages[page].placeholder}
            maxLength={PAGE_TEXT_MAX_CHARS}
            autosize
            {...form.getInputProps(page)}
          />
        ))}
      </Stack>
      <FormButtons isPending={save.isPending} />
    </Form>
  );
}

interface LogoInputProps {
  /** A data URI; "" for none. */
  value: string;
  error: unknown;
  onChange: (logo: string) => void;
}

function LogoInput({ value, error, onChange }: LogoInputProps) {
  const [isUnreadable, setUnreadable] = useState(false);
  const choose = async (file: File) => {
    const logo = await smallLogo(file).catch(() => null);
    setUnreadable(logo === null);
    if (logo !== null) onChange(logo);
  };
  return (
    <Input.Wrapper
      label={texts.logo}
      description={texts.logoHint}
      role="group"
      aria-label={texts.logo}
      error={isUnreadable ? texts.logoUnreadable : (error as string | undefined)}
    >
      <Group gap="xs" mt={6}>
        {value !== "" && <Image src={value} alt={texts.logoPreview} w="auto" mah={48} maw={160} fit="contain" />}
        <FilePicker onFile={(file) => void choose(file)} accept="image/png,image/jpeg,image/webp">
          {(props) => <SmallButton {...props}>{texts.chooseLogo}</SmallButton>}
        </FilePicker>
        {value !== "" && <SmallButton onClick={() => onChange("")}>{texts.removeLogo}</SmallButton>}
      </Group>
    </Input.Wrapper>
  );
}

/** Twice the size in which pages show it. */
const PAGE_LOGO_PX = { width: 384, height: 128 };

/**
 * The image as a data URI that the API accepts, drawn smaller until it fits.
 * @throws Error if the browser cannot read it, or a few pixels of it are still too large
 */
async function smallLogo(file: File): Promise<string> {
  const image = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  let scale = Math.min(1, PAGE_LOGO_PX.width / image.width, PAGE_LOGO_PX.height / image.height);
  for (; scale * image.width >= 1 || scale * image.height >= 1; scale *= 0.8) {
    canvas.width = Math.max(1, Math.round(image.width * scale));
    canvas.height = Math.max(1, Math.round(image.height * scale));
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const uri = canvas.toDataURL("image/webp", 0.9);
    if (atob(uri.slice(uri.indexOf(",") + 1)).length <= PAGE_LOGO_MAX_BYTES) return uri;
  }
  throw new Error("too large");
}
