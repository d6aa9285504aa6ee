/** Input of a slug that looks up whether it is available, once typing pauses. */
import { Loader, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { SLUG_MAX_CHARS } from "../../../core/limits.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { IconCheck } from "../../icons.tsx";
import { slugTexts as texts } from "../../texts/link-form.ts";

const CHECK_DELAY_MS = 300;

interface SlugInputProps {
  /** The API looks up slugs on the service's own domain only. */
  isCheckable: boolean;
  value: string;
  onChange: (slug: string) => void;
  error?: ReactNode;
}

export function SlugInput({ isCheckable, value, onChange, error }: SlugInputProps) {
  const { api, mode } = useApi();
  const [slug] = useDebouncedValue(value, CHECK_DELAY_MS);
  const check = useQuery({
    queryKey: [mode, "slug", slug],
    queryFn: () => unwrap(api.slugs[":slug"].$get({ param: { slug: encodeURIComponent(slug) } })),
    enabled: isCheckable && slug !== "",
    retry: false,
    staleTime: 0,
  });
  const availability = isCheckable && value !== "" && slug === value ? check.data : undefined;
  const unavailable = availability && !availability.available ? texts.unavailable(availability.reason) : null;
  return (
    <TextInput
      label={texts.label}
      description={texts.hint}
      placeholder="spring"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={SLUG_MAX_CHARS}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error ?? unavailable}
      rightSection={
        check.isFetching ? (
          <Loader size="xs" aria-label={texts.checking} />
        ) : availability?.available ? (
          <IconCheck size={18} color="var(--mantine-color-green-7)" role="img" aria-label={texts.free} />
        ) : null
      }
    />
  );
}
