/**
 * Inputs of a link's addresses: its slug, and a row for each alias. Slugs are cleaned while typing; the link's is checked
 * once typing pauses, with another slug for one that is taken.
 */
import { Group, Input, Loader, NativeSelect, type TextInputProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";

import type { SlugCheck } from "../../../core/contract/dashboard.ts";
import { LINK_ALIASES_MAX, SLUG_MAX_CHARS } from "../../../core/limits.ts";
import { aliasText } from "../../../core/links/link-search.ts";
import { type ApiClient, unwrap, useApi } from "../../api/client.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { Hint, IconButton, SmallButton } from "../../components/buttons.tsx";
import { ExactInput } from "../../components/inputs.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { aliasTexts as texts, linkErrorTexts, memberTexts, slugTexts } from "../../texts/link-form.ts";
import { FormSection } from "./form-sections.tsx";
import { cleanSlug, type LinkFields, otherSlugs } from "./link-form.ts";

const CHECK_DELAY_MS = 300;

interface SlugInputProps {
  /** Empty for the service's own domain, the only one on which the API checks slugs. */
  domain: string;
  value: string;
  onChange: (slug: string) => void;
  error?: ReactNode;
}

export function SlugInput({ domain, value, onChange, error }: SlugInputProps) {
  const { api, mode } = useApi();
  const [slug] = useDebouncedValue(value, CHECK_DELAY_MS);
  const isCheckable = domain === "";
  const check = useQuery({
    queryKey: [mode, "slug", slug],
    queryFn: () => checkSlug(api, slug),
    enabled: isCheckable && slug !== "",
    retry: false,
    staleTime: 0,
  });
  const availability = isCheckable && value !== "" && slug === value ? check.data : undefined;
  const unavailable = availability && !availability.available ? slugTexts.unavailable(availability.reason) : null;
  const problem = error ?? unavailable;
  const { data: other } = useQuery({
    queryKey: [mode, "slug", slug, "other", domain],
    queryFn: () => findFreeSlug(api, domain, slug),
    enabled: problem === linkErrorTexts.slugTaken && slug === value,
    retry: false,
  });
  return (
    <>
      <SlugField
        label={slugTexts.label}
        description={slugTexts.hint}
        placeholder="spring"
        value={value}
        onSlug={onChange}
        error={problem}
        rightSection={
          check.isFetching ? (
            <Loader size="xs" role="img" aria-label={slugTexts.checking} />
          ) : availability?.available ? (
            icon("check", 18, { color: "var(--mantine-color-green-7)", "aria-label": slugTexts.free })
          ) : null
        }
      />
      {problem === linkErrorTexts.slugTaken && other && (
        <SmallButton w="fit-content" onClick={() => onChange(other)}>
          {slugTexts.use(other)}
        </SmallButton>
      )}
    </>
  );
}

/** @param onSlug  called with the cleaned text */
function SlugField({ onSlug, ...input }: TextInputProps & { value: string; onSlug: (slug: string) => void }) {
  return (
    <ExactInput
      maxLength={2 * SLUG_MAX_CHARS}
      {...input}
      onChange={({ currentTarget: field }) => {
        const caret = cleanSlug(field.value.slice(0, field.selectionStart ?? field.value.length)).length;
        const slug = cleanSlug(field.value);
        // Otherwise, the caret would jump to the end when a character is replaced.
        if (slug !== field.value) {
          field.value = slug;
          field.setSelectionRange(caret, caret);
        }
        onSlug(slug);
      }}
      onBlur={() => onSlug(cleanSlug(input.value, true))}
    />
  );
}

function checkSlug(api: ApiClient, slug: string): Promise<SlugCheck> {
  return unwrap(api.slugs[":slug"].$get({ param: { slug: encodeURIComponent(slug) } }));
}

/** On other domains than the service's own, slugs of deleted links are not known to be taken. */
async function findFreeSlug(api: ApiClient, domain: string, taken: string): Promise<string | null> {
  for (const slug of otherSlugs(taken, new Date().getFullYear())) {
    const isFree =
      domain === ""
        ? (await checkSlug(api, slug)).available
        : (await unwrap(api.links.$get({ query: { slug, domain, archived: "any" } }))).data.length === 0;
    if (isFree) return slug;
  }
  return null;
}

interface AliasesSectionProps {
  form: LinkFields;
  /** Of the link, and of new rows. */
  domain: string;
  /** Whether the link exists, so that removed aliases are lost. */
  hasRetired?: boolean;
}

export function AliasesSection({ form, domain, hasRetired = false }: AliasesSectionProps) {
  const addRef = useRef<HTMLButtonElement>(null);
  const { aliases } = form.values;
  // An alias stays on its domain while that is not active.
  const domains = [...new Set([...useActiveDomainNames(), ...aliases.map((alias) => alias.domain)])];
  const remove = (i: number) => {
    form.removeListItem("aliases", i);
    addRef.current?.focus();
  };
  return (
    <FormSection
      title={memberTexts.aliases}
      summary={aliases.map(aliasText).join(", ")}
      hasError={Object.keys(form.errors).some((name) => name.startsWith("aliases"))}
    >
      <Hint>{hasRetired ? `${texts.hint} ${texts.retired}` : texts.hint}</Hint>
      {form.errors.aliases !== undefined && <Input.Error>{form.errors.aliases}</Input.Error>}
      {aliases.map(({ slug }, i) => (
        <Group key={i} role="group" aria-label={texts.row(i + 1)} align="flex-start" gap="xs">
          {domains.length > 1 && (
            <NativeSelect
              aria-label={texts.domain(i + 1)}
              data={domains.map((name) => ({ value: name, label: readableHost(name) }))}
              {...form.getInputProps(`aliases.${i}.domain`)}
            />
          )}
          <SlugField
            flex={1}
            miw={120}
            aria-label={texts.slug(i + 1)}
            autoFocus={slug === ""}
            value={slug}
            onSlug={form.getInputProps(`aliases.${i}.slug`).onChange}
            error={form.errors[`aliases.${i}.slug`]}
          />
          <IconButton size="lg" label={texts.remove(i + 1)} sign={icon("x", 16)} onClick={() => remove(i)} />
        </Group>
      ))}
      <SmallButton
        ref={addRef}
        w="fit-content"
        leftSection={icon("plus", 14)}
        disabled={aliases.length >= LINK_ALIASES_MAX}
        onClick={() => form.insertListItem("aliases", { domain, slug: "" })}
      >
        {texts.add}
      </SmallButton>
    </FormSection>
  );
}
