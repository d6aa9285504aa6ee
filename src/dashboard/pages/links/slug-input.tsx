/** Inputs of slugs: cleaned while typing, checked once typing pauses, with another slug for one that is taken. */
import { Loader, TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { SlugCheck } from "../../../core/contract/dashboard.ts";
import { SLUG_MAX_CHARS } from "../../../core/limits.ts";
import { type ApiClient, unwrap, useApi } from "../../api/client.ts";
import { SmallButton } from "../../components/buttons.tsx";
import { cleanSlug, otherSlugs } from "../../formatting/typed-slug.ts";
import { icon } from "../../icons.tsx";
import { linkErrorTexts, slugTexts } from "../../texts/link-form.ts";

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
export function SlugField({ onSlug, ...input }: TextInputProps & { value: string; onSlug: (slug: string) => void }) {
  return (
    <TextInput
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
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
