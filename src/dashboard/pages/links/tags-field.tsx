/** Tags input, with the tags of other links as suggestions. */
import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useState } from "react";

import { TAG_MAX_CHARS, TAGS_MAX } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { tagTexts as texts } from "../../texts/link-form.ts";
import { uniqueTags, useFoundTags } from "./tag-lists.ts";

export function TagsField({ value = [], onChange, ...input }: TagsInputProps) {
  const [search, setSearch] = useState("");
  const { found } = useFoundTags([...search].slice(0, TAG_MAX_CHARS).join(""));
  const clean = (tags: string[]) =>
    uniqueTags(tags.map((tag) => [...tag.trim()].slice(0, TAG_MAX_CHARS).join("")).filter((tag) => tag !== ""));
  return (
    <TagsInput
      placeholder={value.length === 0 ? texts.placeholder : ""}
      data={found}
      searchValue={search}
      onSearchChange={setSearch}
      value={value}
      onChange={(tags) => onChange?.(clean(tags).slice(0, TAGS_MAX))}
      isDuplicate={(tag, tags) => tags.some((one) => tagKey(one) === tagKey(tag))}
      maxTags={TAGS_MAX}
      splitChars={[","]}
      // Below the input, it would cover the buttons of a dialog.
      comboboxProps={{ position: "top-start", middlewares: { flip: false, shift: true } }}
      maxDropdownHeight={148}
      acceptValueOnBlur
      clearable
      clearButtonProps={{ "aria-label": texts.clear }}
      {...input}
    />
  );
}
