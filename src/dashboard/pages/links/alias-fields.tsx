/** The aliases of a link in both forms: a row for each, with its domain and its slug. */
import { Group, Input, NativeSelect } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useRef } from "react";

import { LINK_ALIASES_MAX } from "../../../core/limits.ts";
import { aliasText } from "../../../core/links/alias-texts.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { IconButton, SmallButton } from "../../components/buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { aliasTexts as texts, memberTexts } from "../../texts/link-form.ts";
import { FormSection } from "./form-sections.tsx";
import type { EditLinkValues } from "./link-form.ts";
import { SlugField } from "./slug-input.tsx";

interface AliasesSectionProps {
  form: Pick<
    UseFormReturnType<EditLinkValues>,
    "values" | "errors" | "getInputProps" | "insertListItem" | "removeListItem"
  >;
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
