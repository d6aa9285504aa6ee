/** Tags input, with the tags of other links as suggestions. */
import type { TagsInputProps } from "@mantine/core";
import { useState } from "react";

import { TAG_MAX_CHARS, TAGS_MAX } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { ValuesInput } from "../../components/values-input.tsx";
import { tagTexts as texts } from "../../texts/link-form.ts";
import { uniqueTags, useFoundTags } from "./tag-lists.ts";

export function TagsField({ value = [], ...input }: TagsInputProps) {
  const [search, setSearch] = useState("");
  const { found } = useFoundTags([...search].slice(0, TAG_MAX_CHARS).join(""));
  return (
    <ValuesInput
      placeholder={value.length === 0 ? texts.placeholder : ""}
      clean={tagsOf}
      onSearchChange={setSearch}
      value={value}
      data={found}
      isDuplicate={(tag, others) => others.some((one) => tagKey(one) === tagKey(tag))}
      maxTags={TAGS_MAX}
      splitChars={[","]}
      // Below the input, it would cover the buttons of a dialog.
      comboboxProps={{ position: "top-start", middlewares: { flip: false, shift: true } }}
      maxDropdownHeight={148}
      clearable
      clearButtonProps={{ "aria-label": texts.clear }}
      {...input}
    />
  );
}

function tagsOf(typed: readonly string[]): string[] {
  const tags = typed.map((text) => [...text.trim()].slice(0, TAG_MAX_CHARS).join(""));
  return uniqueTags(tags.filter((tag) => tag !== "")).slice(0, TAGS_MAX);
}
