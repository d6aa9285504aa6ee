/**
 * Designer of a link's QR codes, and the list of its codes. The browser draws the preview and the downloads from the
 * symbol that the API draws. Loaded lazily, with the code that encodes symbols.
 */
import { Alert, Anchor, Button, Grid, Group, Menu, Paper, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type MouseEvent, useMemo, useState } from "react";

import type { Mode } from "../../../../core/account.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { QrCode, QrCodePage } from "../../../../core/contract/qr-codes.ts";
import { QR_NAME_MAX_CHARS } from "../../../../core/limits.ts";
import { useAccount } from "../../../api/account.ts";
import { queryClient, unwrap, useApi } from "../../../api/client.ts";
import { useIdempotencyKey, useNotifiedMutation, useSingleMutation } from "../../../api/mutations.ts";
import { Hint, SmallButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { Form, FormButtons, FormDraft, FormModal, useSavedForm } from "../../../components/form.tsx";
import { lazyDialog } from "../../../components/lazy-part.tsx";
import { Notice, ErrorState, ListSkeleton, NextPage } from "../../../components/states.tsx";
import { useFormDraft } from "../../../components/use-draft.ts";
import { downloadProps } from "../../../files/download.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { notifyError, notifySuccess } from "../../../notifications.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { QrDesignFields } from "./qr-design-fields.tsx";
import {
  drawDesign,
  newQrCode,
  type QrDesign,
  qrFieldErrors,
  qrFormError,
  readBrand,
  rememberBrand,
} from "./qr-design.ts";
import { colorContrast } from "./qr-drawing.ts";
import { DOWNLOAD_FORMATS, type DownloadFormat, downloadCode } from "./qr-downloads.ts";
import { svgFile } from "./qr-files.ts";
import classes from "./qr.module.css";

const QrSheet = lazyDialog(() => import("./qr-sheet.tsx"));

export default function QrDesigner({ link }: { link: Link }) {
  const accountId = useAccount().data?.id ?? "";
  const [brand] = useState(() => readBrand(localStorage, accountId));
  const create = useCreateQrCode(link.id);
  const form = useForm<QrDesign>({
    initialValues: brand,
    onValuesChange: () => create.isPending || create.reset(),
  });
  const draft = useFormDraft(form, { form: `qr-code:${link.id}` });
  const design = form.values;
  const remember = () => rememberBrand(localStorage, accountId, design);
  const onCreated = () => {
    remember();
    draft.done();
  };
  const onCreate = ({ detail }: MouseEvent) => {
    // The second click of a double click may arrive after the first has created its code.
    if (detail <= 1) create.mutate(design, { onSuccess: onCreated });
  };

  return (
    <Stack gap="lg">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <FormDraft draft={draft} />
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              maxLength={QR_NAME_MAX_CHARS}
              {...form.getInputProps("name")}
            />
            <QrDesignFields form={form} errors={qrFieldErrors(create.error)} />
            <Button w="fit-content" onClick={onCreate} loading={create.isPending}>
              {texts.create}
            </Button>
            {create.error && (
              <Notice color="red" title={texts.notCreated}>
                {qrFormError(create.error) ?? texts.correctFields}
              </Notice>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} order={{ base: -1, md: 0 }}>
          <TitledCard title={texts.preview}>
            <QrPreview shortUrl={link.short_url} design={design} />
            <Hint size="xs">{texts.previewHint}</Hint>
          </TitledCard>
        </Grid.Col>
      </Grid>
      <QrCodeList link={link} design={design} onUse={remember} />
    </Stack>
  );
}

/** A code in a design: the picture with its colors, and as the source of an image; or the smallest size that it needs. */
function useDrawnCode(shortUrl: string, id: string | null, design: QrDesign) {
  const { size, margin, ecc, modules, corners, logo, fg, bg } = design;
  const drawing = useMemo(
    () => drawDesign(shortUrl, id, design),
    // oxlint-disable-next-line react/exhaustive-deps -- colors and names change nothing, and symbols take long
    [shortUrl, id, size, margin, ecc, modules, corners, logo === null],
  );
  if ("minSize" in drawing) return drawing;
  const picture = { ...drawing, fg, bg };
  return { picture, src: `data:image/svg+xml,${encodeURIComponent(svgFile(picture, logo))}` };
}

/** Preview of a QR code as SVG. */
function QrPreview({ shortUrl, design }: { shortUrl: string; design: QrDesign }) {
  const drawn = useDrawnCode(shortUrl, null, design);
  if (colorContrast(design.fg, design.bg) === null) return null;
  if ("minSize" in drawn) {
    return (
      <Alert color="yellow" role="status">
        {texts.sizeTooSmall(drawn.minSize)}
      </Alert>
    );
  }
  return <img src={drawn.src} className={classes.preview} alt={texts.previewLabel} />;
}

interface QrCodeListProps {
  link: Link;
  /** Downloads are drawn with its shapes, size, margin and logo. */
  design: QrDesign;
  onUse: () => void;
}

/** The QR codes of a link, newest first, with their scans. */
function QrCodeList({ link, ...drawing }: QrCodeListProps) {
  const [isArchived, setArchived] = useState(false);
  const [isSheetOpen, sheet] = useDisclosure();
  const openSheet = () => {
    // The sheet has the remembered design.
    drawing.onUse();
    sheet.open();
  };
  const pages = useQrCodes(link.id, isArchived);
  const { data, error, refetch } = pages;
  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <ListSkeleton rows={1} height={150} />;
  // A code created in the meantime shifts the others, so that one may be on two pages.
  const codes = [...new Map(data.pages.flatMap((page) => page.data.map((code) => [code.id, code]))).values()];
  return (
    <section aria-labelledby="codes-title">
      <Group justify="space-between" mb={4}>
        <Title order={2} size="h4" id="codes-title">
          {texts.codes}
        </Title>
        {codes.length > 0 && (
          <SmallButton leftSection={icon("printer", 16)} onClick={openSheet}>
            {texts.sheet}
          </SmallButton>
        )}
      </Group>
      {isSheetOpen && <QrSheet links={[link]} isOfLink onClose={sheet.close} />}
      <Switch
        label={texts.showArchived}
        checked={isArchived}
        onChange={(event) => setArchived(event.currentTarget.checked)}
        mb="xs"
      />
      <Hint mb="sm">{listHint(codes.length, isArchived)}</Hint>
      <Stack gap="md" align="stretch">
        {codes.map((code) => (
          <QrCodeCard key={code.id} code={code} link={link} {...drawing} />
        ))}
        <NextPage pages={pages} label={texts.loadMore} />
      </Stack>
    </section>
  );
}

function listHint(codes: number, isArchived: boolean): string {
  if (isArchived) return codes === 0 ? texts.noneArchived : texts.archivedHint;
  return codes === 0 ? texts.noCodes : texts.codesHint;
}

type QrCodeCardProps = QrCodeListProps & { code: QrCode };

function QrCodeCard({ code, link, design, onUse }: QrCodeCardProps) {
  const { id, format, size, url, scans, created_at, fg, bg } = code;
  const colored = { ...design, fg, bg };
  const drawn = useDrawnCode(link.short_url, id, colored);
  const src = "src" in drawn ? drawn.src : url;
  return (
    <Paper withBorder p="md" component="article" aria-label={texts.code(id)}>
      <Group align="flex-start" gap="md">
        <img src={src} alt={texts.code(id)} width={120} height={120} className={classes.image} />
        <Stack gap={6} className={classes.facts}>
          {code.name !== undefined && <Text fw={600}>{code.name}</Text>}
          <Text size="sm" fw={500}>
            {texts.scans(scans)}
          </Text>
          <Anchor href={url} size="sm" target="_blank" rel="noreferrer">
            {texts.look(format.toUpperCase(), size, fg, bg)}
          </Anchor>
          <Hint size="xs">{texts.createdAt(formatDateTime(created_at))}</Hint>
          <Group gap="xs">
            <QrDownloads code={code} drawn={drawn} logo={design.logo} onUse={onUse} />
            <QrCodeActions code={code} />
          </Group>
        </Stack>
      </Group>
    </Paper>
  );
}

interface QrDownloadsProps {
  code: QrCode;
  drawn: ReturnType<typeof useDrawnCode>;
  logo: string | null;
  onUse: () => void;
}

/** Files of a code in the design above, and its permanent image. */
function QrDownloads({ code: { id, name = id, format, url }, drawn, logo, onUse }: QrDownloadsProps) {
  const download = useSingleMutation({
    mutationFn: async (chosen: DownloadFormat) => {
      if ("minSize" in drawn) throw new Error(texts.sizeTooSmall(drawn.minSize));
      await downloadCode(name, chosen, drawn.picture, logo);
    },
    onSuccess: onUse,
    onError: (error) => notifyError(texts.notDownloaded, error),
  });
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <SmallButton
          aria-label={texts.downloadOf(name)}
          leftSection={icon("download", 16)}
          rightSection={icon("chevron-down", 14)}
          loading={download.isPending}
        >
          {texts.download}
        </SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        {DOWNLOAD_FORMATS.map((chosen) => (
          <Menu.Item key={chosen} onClick={() => download.mutate(chosen)}>
            {texts.formats[chosen]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" {...downloadProps(url, `${id}.${format}`)}>
          {texts.permanentImage(format.toUpperCase())}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function QrCodeActions({ code }: { code: QrCode }) {
  const { id, name = "", archived } = code;
  const [isNaming, naming] = useDisclosure();
  const { api, mode } = useApi();
  const archive = useNotifiedMutation({
    mutationFn: (isArchived: boolean) =>
      unwrap<QrCode>(api.qr[":id"].$patch({ param: { id }, json: { archived: isArchived } })),
    done: (isArchived) => (isArchived ? texts.archivedNow : texts.unarchived),
    failed: texts.notChanged,
    // Also the newest code and the names in filters.
    refreshed: [mode, "qr"],
  });
  return (
    <>
      <SmallButton onClick={naming.open}>{name === "" ? texts.addName : texts.rename}</SmallButton>
      <SmallButton loading={archive.isPending} onClick={() => archive.mutate(!archived)}>
        {archived ? texts.unarchive : texts.archive}
      </SmallButton>
      {isNaming && <NameForm code={code} onClose={naming.close} />}
    </>
  );
}

function NameForm({ code, onClose }: { code: QrCode; onClose: () => void }) {
  const { api, mode } = useApi();
  const { form, draft, save } = useSavedForm({
    name: `qr-name:${code.id}`,
    initialValues: { name: code.name ?? "" },
    send: ({ name }, init) =>
      unwrap(api.qr[":id"].$patch({ param: { id: code.id }, json: { name: name.trim() || null } }, init)),
    saved: () => texts.renamed,
    // Also the newest code and the names in filters.
    refresh: () => queryClient.invalidateQueries({ queryKey: [mode, "qr"] }),
    onClose,
  });
  const label = texts.nameOf(code.id);
  return (
    <FormModal onClose={onClose} title={label}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        <TextInput aria-label={label} data-autofocus maxLength={QR_NAME_MAX_CHARS} {...form.getInputProps("name")} />
        <FormButtons submit={texts.saveName} isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}

const PAGE_CODES = 10;
const SCANS_REFRESH_MS = 10_000;
/** With more pages, scans are not refreshed automatically: each page is a request. */
const REFRESHED_PAGES_MAX = 3;

function qrCodesKey(mode: Mode, linkId: string) {
  return [mode, "qr", linkId] as const;
}

/** Newest first, page by page. */
function useQrCodes(linkId: string, isArchived: boolean) {
  const { api, mode } = useApi();
  return useInfiniteQuery({
    queryKey: [...qrCodesKey(mode, linkId), isArchived],
    queryFn: ({ pageParam: cursor }) => {
      const archived = isArchived ? ("true" as const) : ("false" as const);
      const query = { link_id: linkId, limit: String(PAGE_CODES), archived, cursor };
      return unwrap<QrCodePage>(api.qr.$get({ query }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > REFRESHED_PAGES_MAX ? false : SCANS_REFRESH_MS),
  });
}

function useCreateQrCode(linkId: string) {
  const { api, mode } = useApi();
  const { headersOf, forget } = useIdempotencyKey();
  return useSingleMutation({
    mutationFn: (design: QrDesign) => {
      const json = newQrCode(linkId, design);
      return unwrap<QrCode>(api.qr.$post({ json }, { headers: headersOf(json) }));
    },
    onSuccess: async () => {
      forget();
      notifySuccess(texts.created);
      await queryClient.invalidateQueries({ queryKey: qrCodesKey(mode, linkId) });
    },
  });
}
