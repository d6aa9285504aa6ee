/** Search as you type, and filters by domain, status and order. On a phone the filters fold away. */
import { CloseButton, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

import { useActiveDomainNames } from "../../api/domains.ts";
import { PlainButton } from "../../components/buttons.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { linkFilterTexts as texts } from "../../texts/links.ts";
import classes from "./filter-bar.module.css";
import { uniqueTags, useKnownTags } from "./tag-lists.ts";
import { type LinksViewState, SEARCH_MAX_CHARS, SORTS } from "./links-view.ts";

export function FilterBar({ state: { view, change } }: { state: LinksViewState }) {
  const { filters, sort } = view;
  const [isOpen, { toggle }] = useDisclosure();
  const domains = useDomainOptions(filters.domain);
  const tags = useKnownTags();
  // Several tags are chosen by clicks on those of rows; the select shows them as one choice.
  const chosenTags = filters.tag?.join(TAG_SEPARATOR) ?? "";
  const choose = (name: keyof typeof filters, value: string) => {
    const { [name]: _before, ...rest } = filters;
    change({ filters: value ? { ...rest, [name]: name === "tag" ? [value] : value } : rest });
  };
  const chosen = Object.keys(filters).filter((name) => name !== "search").length;

  return (
    <search className={classes.bar} data-open={isOpen || undefined}>
      <SearchInput search={filters.search ?? ""} onChange={(search) => choose("search", search)} />
      <PlainButton
        className={classes.toggle}
        leftSection={icon("adjustments-horizontal", 18)}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {texts.filters(chosen)}
      </PlainButton>
      {domains.length > 2 && (
        <NativeSelect
          aria-label={texts.domain}
          value={filters.domain ?? ""}
          onChange={(event) => choose("domain", event.currentTarget.value)}
          data={domains}
        />
      )}
      {(tags.length > 0 || filters.tag) && (
        <NativeSelect
          className={classes.tags}
          aria-label={texts.tags}
          value={chosenTags}
          onChange={(event) => choose("tag", event.currentTarget.value)}
          data={tagOptions(filters.tag ?? [], tags)}
        />
      )}
      <NativeSelect
        aria-label={texts.status}
        value={filters.status ?? ""}
        onChange={(event) => choose("status", event.currentTarget.value)}
        data={[
          { value: "", label: texts.anyStatus },
          { value: "active", label: texts.active },
          { value: "expired", label: texts.expired },
        ]}
      />
      <NativeSelect
        aria-label={texts.order}
        value={sort}
        onChange={(event) => change({ sort: SORTS.find((one) => one === event.currentTarget.value) ?? "-created_at" })}
        data={SORTS.map((value) => ({ value, label: texts.orders[value] }))}
      />
    </search>
  );
}

const SEARCH_DELAY_MS = 300;

/** Holds what is typed until typing pauses; follows the URL when that changes otherwise, as by Back. */
function SearchInput({ search, onChange }: { search: string; onChange: (search: string) => void }) {
  const [text, setText] = useState(search);
  const applied = useRef(search);
  useEffect(() => {
    // What was applied here stays as it was typed, with a blank at its end.
    if (search !== applied.current) setText(search);
    applied.current = search;
  }, [search]);
  const apply = useDebouncedCallback((value: string) => {
    applied.current = value.trim();
    onChange(applied.current);
  }, SEARCH_DELAY_MS);
  const type = (value: string) => {
    setText(value);
    apply(value);
  };
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={texts.search}
      placeholder={texts.searchPlaceholder}
      maxLength={SEARCH_MAX_CHARS}
      leftSection={icon("search", 18)}
      rightSection={text && <CloseButton size="sm" aria-label={texts.clearSearch} onClick={() => type("")} />}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

/** With the chosen one, which may be inactive by now. */
function useDomainOptions(chosen: string | undefined): { value: string; label: string }[] {
  const names = new Set([...(chosen === undefined ? [] : [chosen]), ...useActiveDomainNames()]);
  return [
    { value: "", label: texts.allDomains },
    ...[...names].map((name) => ({ value: name, label: readableHost(name) })),
  ];
}

const TAG_SEPARATOR = ", ";

function tagOptions(chosen: readonly string[], known: readonly string[]): { value: string; label: string }[] {
  const names = uniqueTags([...(chosen.length > 0 ? [chosen.join(TAG_SEPARATOR)] : []), ...known]);
  return [{ value: "", label: texts.anyTag }, ...names.map((name) => ({ value: name, label: name }))];
}
