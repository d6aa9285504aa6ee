/** Tags input, with the tags of other links as suggestions. */
import { TagsInput, type TagsInputProps } from "@mantine/core";

import { TAG_MAX_CHARS, TAGS_MAX } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { tagTexts as texts } from "../../texts/link-form.ts";
import { uniqueTags, useKnownTags } from "./tag-lists.ts";

export function TagsField({ value = [], onChange, ...input }: TagsInputProps) {
  const known = useKnownTags();
  const clean = (tags: string[]) =>
    uniqueTags(tags.map((tag) => [...tag.trim()].slice(0, TAG_MAX_CHARS).join("")).filter((tag) => tag !== ""));
  return (
    <TagsInput
      placeholder={value.length === 0 ? texts.placeholder : ""}
      data={known}
      value={value}
      onChange={(tags) => onChange?.(clean(tags).slice(0, TAGS_MAX))}
      isDuplicate={(tag, tags) => tags.some((one) => tagKey(one) === tagKey(tag))}
      maxTags={TAGS_MAX}
      splitChars={[","]}
      // Below the input, it would cover the buttons of a dialog.
      comboboxProps={{ position: "top-start" }}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ "aria-label": texts.clear }}
      {...input}
    />
  );
}
