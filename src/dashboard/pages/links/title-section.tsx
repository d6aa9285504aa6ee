/** Title and tags of a new link: for the people of the account, never shown to visitors. */
import { TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { TITLE_MAX_CHARS } from "../../../core/limits.ts";
import { createLinkTexts as texts } from "../../texts/links.ts";
import { FormSection } from "./form-section.tsx";
import type { LinkForm } from "./link-form.ts";
import { TagsField } from "./tags-field.tsx";

export function TitleSection({ form }: { form: UseFormReturnType<LinkForm> }) {
  const { title, tags } = form.values;
  const tagError = Object.keys(form.errors).find((path) => path.startsWith("tags"));
  return (
    <FormSection
      title={texts.titleAndTags}
      summary={[title.trim(), ...tags].filter((text) => text !== "").join(", ")}
      hasError={form.errors.title !== undefined || tagError !== undefined}
    >
      <TextInput
        label={texts.linkTitle}
        description={texts.linkTitleHint}
        maxLength={TITLE_MAX_CHARS}
        {...form.getInputProps("title")}
      />
      <TagsField
        label={texts.tags}
        description={texts.tagsHint}
        value={tags}
        onChange={(changed) => form.setFieldValue("tags", changed)}
        error={tagError && form.errors[tagError]}
      />
    </FormSection>
  );
}
