/** Filter by tags: a link must have all of them. The server searches the tags, however many there are. */
import { MultiSelect } from "@mantine/core";
import { useState } from "react";

import { TAG_MAX_CHARS, TAGS_MAX } from "../../../core/limits.ts";
import { linkFilterTexts as texts } from "../../texts/links.ts";
import classes from "./filter-bar.module.css";
import { uniqueTags, useFoundTags } from "./tag-lists.ts";

export default function TagFilter({ tags, onChange }: { tags: string[]; onChange: (tags: string[]) => void }) {
  const [search, setSearch] = useState("");
  const { found, isSearching } = useFoundTags(search);
  return (
    <MultiSelect
      className={classes.tags}
      aria-label={texts.tags}
      placeholder={tags.length === 0 ? texts.anyTag : ""}
      data={uniqueTags([...tags, ...found])}
      value={tags}
      onChange={onChange}
      searchable
      searchValue={search}
      onSearchChange={(text) => setSearch([...text].slice(0, TAG_MAX_CHARS).join(""))}
      maxValues={TAGS_MAX}
      hidePickedOptions
      clearable
      clearButtonProps={{ "aria-label": texts.clearTags }}
      nothingFoundMessage={isSearching ? texts.searchingTags : texts.noTag}
      limit={100}
      comboboxProps={{ width: 240, position: "bottom-start" }}
    />
  );
}
