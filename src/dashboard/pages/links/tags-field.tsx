/** Tags input, with the tags of other links as suggestions. */
import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";

import { TAG_MAX_CHARS, TAGS_MAX } from "../../../core/limits.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { tagTexts as texts } from "../../texts/link-form.ts";
import { uniqueTags, useFoundTags } from "./tag-lists.ts";

/** The value includes the text that is being typed, as its last tag: forms keep it like every other input. */
export function TagsField({ value = [], onChange, ...input }: TagsInputProps) {
  const [search, setSearch] = useState("");
  const [hasTyped, setHasTyped] = useState(false);
  const { found } = useFoundTags([...search].slice(0, TAG_MAX_CHARS).join(""));
  const tags = hasTyped && value.at(-1) === tagOf(search) ? value.slice(0, -1) : value;
  // An entered tag is reported before its text is removed, in the same event.
  const latest = useRef(tags);
  useLayoutEffect(() => {
    latest.current = tags;
  });
  const change = (next: string[]) => {
    latest.current = tagsOf(next);
    setHasTyped(false);
    onChange?.(latest.current);
  };
  const type = (text: string) => {
    if (text === search) return;
    setSearch(text);
    const next = tagsOf([...latest.current, text]);
    setHasTyped(next.length > latest.current.length);
    onChange?.(next);
  };
  return (
    <TagsInput
      placeholder={tags.length === 0 ? texts.placeholder : ""}
      data={found}
      searchValue={search}
      onSearchChange={type}
      value={tags}
      onChange={change}
      isDuplicate={(tag, others) => others.some((one) => tagKey(one) === tagKey(tag))}
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

function tagOf(text: string): string {
  return [...text.trim()].slice(0, TAG_MAX_CHARS).join("");
}

function tagsOf(typed: readonly string[]): string[] {
  return uniqueTags(typed.map(tagOf).filter((tag) => tag !== "")).slice(0, TAGS_MAX);
}
