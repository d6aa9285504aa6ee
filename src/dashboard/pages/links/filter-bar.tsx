/** Above the list of links: search as you type, order, saved views, columns, and filters. On a phone, all but the search collapse. */
import { CloseButton, NativeSelect, Skeleton, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { useActiveDomainNames } from "../../api/domains.ts";
import { FlatButton, PlainButton } from "../../components/buttons.tsx";
import { lazyDialog, lazyPart } from "../../components/lazy-part.tsx";
import { MenuButton } from "../../components/overlay-parts.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { columnTexts, linkFilterTexts as texts, savedViewTexts } from "../../texts/links.ts";
import classes from "./filter-bar.module.css";
import {
  COLUMNS,
  isFiltered,
  type LinkFilters,
  type LinksViewState,
  ORIGINS,
  parseLinksView,
  RULES,
  savedQuery,
  savedViewsQuery,
  SEARCH_MAX_CHARS,
  SORTS,
  STATUSES,
  type useColumns,
} from "./links-view.ts";

const TagFilter = lazyPart(() => import("./tag-filter.tsx"), <Skeleton height={36} className={classes.tags ?? ""} />);
const SavedViews = lazyDialog(() => import("./saved-views.tsx"));

interface FilterBarProps {
  state: LinksViewState;
  columns: ReturnType<typeof useColumns>;
}

export function FilterBar({ state, columns }: FilterBarProps) {
  const { view, change } = state;
  const { filters, sort } = view;
  const [isOpen, { toggle }] = useDisclosure();
  // Includes the chosen one, even if it has become inactive.
  const domains = [...new Set([filters.domain ?? [], useActiveDomainNames()].flat())];
  const choose = <Name extends keyof LinkFilters>(name: Name, value: LinkFilters[Name] | undefined) => {
    const { [name]: _before, ...rest } = filters;
    change({ filters: value === undefined ? rest : { ...rest, [name]: value } });
  };
  /** A filter with one value. The first option stands for none. */
  const choice = <Name extends "domain" | "status" | "rules" | "origin">(
    name: Name,
    [label, none]: readonly [label: string, none: string],
    values: readonly (LinkFilters[Name] & string)[],
    nameOf: (value: LinkFilters[Name] & string) => string,
  ) => (
    <NativeSelect
      aria-label={label}
      data-chosen={filters[name] !== undefined || undefined}
      value={filters[name] ?? ""}
      onChange={(event) =>
        choose(
          name,
          values.find((value) => value === event.currentTarget.value),
        )
      }
      data={[{ value: "", label: none }, ...values.map((value) => ({ value, label: nameOf(value) }))]}
    />
  );
  const chosen = Object.keys(filters).filter((name) => name !== "search").length;

  return (
    <search className={classes.bar} data-open={isOpen || undefined}>
      <SearchInput search={filters.search ?? ""} onChange={(search) => choose("search", search || undefined)} />
      <PlainButton
        className={classes.toggle}
        leftSection={icon("adjustments-horizontal", 18)}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {texts.filters(chosen)}
      </PlainButton>
      <NativeSelect
        aria-label={texts.order}
        value={sort}
        onChange={(event) => change({ sort: SORTS.find((one) => one === event.currentTarget.value) ?? "-created_at" })}
        data={SORTS.map((value) => ({ value, label: texts.orders[value] }))}
      />
      <ViewsMenu state={state} />
      <ColumnsMenu columns={columns} />
      <div className={classes.filters}>
        {domains.length > 1 && choice("domain", [texts.domain, texts.allDomains], domains, readableHost)}
        <TagFilter tags={filters.tag ?? []} onChange={(tags) => choose("tag", tags.length > 0 ? tags : undefined)} />
        {choice("status", [texts.status, texts.anyStatus], STATUSES, (value) => texts.statuses[value])}
        {choice("rules", [texts.rules, texts.anyRules], RULES, (value) => texts.ruleChoices[value])}
        {choice("origin", [texts.origin, texts.anyOrigin], ORIGINS, (value) => texts.origins[value])}
        {isFiltered(filters) && (
          <FlatButton className={classes.clear ?? ""} onClick={() => change({ filters: {} })}>
            {texts.clear}
          </FlatButton>
        )}
      </div>
    </search>
  );
}

/** The account's saved views. Each sets filters and order. */
function ViewsMenu({ state: { view, change } }: Pick<FilterBarProps, "state">) {
  const [isWanted, setWanted] = useState(false);
  const [isEditing, { open: edit, close }] = useDisclosure();
  const current = savedQuery(view);
  const isPlain = current === "";
  // The name of the current view is shown without opening the menu.
  const { data: views, error } = useQuery({ ...savedViewsQuery, enabled: isWanted || !isPlain });
  const shown = views?.find(({ query }) => query === current);
  const show = (query: string) => {
    const { filters, sort } = parseLinksView(new URLSearchParams(query));
    change({ filters, sort });
  };
  return (
    <>
      <MenuButton
        mah={360}
        onOpen={() => setWanted(true)}
        button={
          <PlainButton className={classes.views} leftSection={icon("bookmark", 18)}>
            {shown?.name ?? savedViewTexts.views}
          </PlainButton>
        }
      >
        {(Menu) => (
          <>
            <Menu.Label>
              {error ? savedViewTexts.failed : views?.length === 0 ? savedViewTexts.none : savedViewTexts.title}
            </Menu.Label>
            {views?.map(({ name, query }) => (
              <Menu.Item
                key={name}
                rightSection={name === shown?.name && icon("check", 16, { "aria-label": savedViewTexts.shown })}
                onClick={() => show(query)}
              >
                {name}
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item disabled={isPlain} onClick={() => show("")}>
              {savedViewTexts.all}
            </Menu.Item>
            <Menu.Item leftSection={icon("bookmark-plus", 16)} onClick={edit}>
              {savedViewTexts.edit}
            </Menu.Item>
          </>
        )}
      </MenuButton>
      {isEditing && <SavedViews query={current} onClose={close} />}
    </>
  );
}

function ColumnsMenu({ columns: { isShown, toggle } }: Pick<FilterBarProps, "columns">) {
  return (
    <MenuButton
      closeOnItemClick={false}
      button={<PlainButton leftSection={icon("columns-3", 18)}>{columnTexts.title}</PlainButton>}
    >
      {(Menu) =>
        COLUMNS.map((name) => (
          <Menu.CheckboxItem key={name} checked={isShown(name)} onChange={() => toggle(name)}>
            {columnTexts.names[name]}
          </Menu.CheckboxItem>
        ))
      }
    </MenuButton>
  );
}

const SEARCH_DELAY_MS = 300;

/** Holds the typed text until typing pauses; follows other changes of the URL, such as Back. */
function SearchInput({ search, onChange }: { search: string; onChange: (search: string) => void }) {
  const [text, setText] = useState(search);
  const applied = useRef(search);
  useEffect(() => {
    // Text applied from here stays as typed, including a trailing space.
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
