/** Page of all links of the current mode. */
import { Button, CloseButton, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState, useEffect, useRef } from "react";

import { unwrap, useApi } from "../../api/client.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { PlainButton } from "../../components/buttons.tsx";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { linkListTexts, linkFilterTexts } from "../../texts/links.ts";
import classes from "./filter-bar.module.css";
import { FirstStepsCard } from "./first-steps.tsx";
import { LinkList } from "./link-list.tsx";
import { useLinkPage } from "./link-page.ts";
import { isFiltered, type LinksViewState, useLinksView, SEARCH_MAX_CHARS, SORTS, STATUSES } from "./links-view.ts";
import { usePastedLinks } from "./pasted-links.ts";
import { uniqueTags, useKnownTags } from "./tag-lists.ts";

const CreateLink = lazyDialog(() => import("./create-link.tsx"));
const ExportLinks = lazyDialog(() => import("./export-links.tsx"));
const BulkCreate = lazyDialog(() => import("./bulk-create.tsx"));

export default function Links() {
  const { mode } = useMode();
  const state = useLinksView();
  const { view, openDialog, closeDialog } = state;
  const [pasted, setPasted] = useState<string[]>([]);
  const openWith = (lines: string[]) => {
    setPasted(lines);
    openDialog(lines.length === 1 ? "link" : "many");
  };
  usePastedLinks(openWith);
  const close = () => {
    setPasted([]);
    closeDialog();
  };

  return (
    <Page
      title={linkListTexts.title}
      actions={
        <>
          <PlainButton leftSection={icon("table-import", 18)} onClick={() => openDialog("many")}>
            {linkListTexts.createMany}
          </PlainButton>
          <Button leftSection={icon("plus", 18)} title={linkListTexts.createHint} onClick={() => openDialog("link")}>
            {linkListTexts.create}
          </Button>
        </>
      }
    >
      <FirstStepsCard onCreate={() => openDialog("link")} />
      <LinksOfMode key={mode} state={state} />
      {view.dialog === "link" && <CreateLink url={pasted[0] ?? ""} onManyPasted={openWith} onClose={close} />}
      {view.dialog === "export" && <ExportLinks view={view} onClose={close} />}
      {view.dialog === "many" && <BulkCreate text={pasted.join("\n")} onClose={close} />}
    </Page>
  );
}

/** Keyed by mode, so that no row of the other mode is shown while this mode's are loading. */
function LinksOfMode({ state }: { state: LinksViewState }) {
  const { view, change } = state;
  const linkPage = useLinkPage(view);
  const { data } = linkPage.page;
  const isEmpty = data?.links.length === 0 && data.next === null && view.position.cursor === null;
  const seemsNew = isEmpty && !isFiltered(view.filters);
  const hasArchived = useHasArchived(seemsNew);
  const isNothingToFilter = seemsNew && !hasArchived;
  return (
    <>
      {!isNothingToFilter && <FilterBar state={state} />}
      <LinkList state={state} linkPage={linkPage} onClear={() => change({ filters: {} })} />
    </>
  );
}

/** Whether the mode has archived links, which only a filter lists. */
function useHasArchived(isWanted: boolean): boolean {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "links", "archived"],
    queryFn: ({ signal }) => unwrap(api.links.$get({ query: { archived: "true", limit: "1" } }, { init: { signal } })),
    enabled: isWanted,
  });
  return data !== undefined && (data.data.length > 0 || data.has_more);
}

/** Search as you type, and filters by domain and status, and order. On a phone, the filters collapse. */
function FilterBar({ state: { view, change } }: { state: LinksViewState }) {
  const { filters, sort } = view;
  const [isOpen, { toggle }] = useDisclosure();
  const domains = useDomainOptions(filters.domain);
  const tags = useKnownTags();
  // Clicks on the tags of rows select several; the select shows them as one choice.
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
        {linkFilterTexts.filters(chosen)}
      </PlainButton>
      {domains.length > 2 && (
        <NativeSelect
          aria-label={linkFilterTexts.domain}
          value={filters.domain ?? ""}
          onChange={(event) => choose("domain", event.currentTarget.value)}
          data={domains}
        />
      )}
      {(tags.length > 0 || filters.tag) && (
        <NativeSelect
          className={classes.tags}
          aria-label={linkFilterTexts.tags}
          value={chosenTags}
          onChange={(event) => choose("tag", event.currentTarget.value)}
          data={tagOptions(filters.tag ?? [], tags)}
        />
      )}
      <NativeSelect
        aria-label={linkFilterTexts.status}
        value={filters.status ?? ""}
        onChange={(event) => choose("status", event.currentTarget.value)}
        data={[
          { value: "", label: linkFilterTexts.anyStatus },
          ...STATUSES.map((value) => ({ value, label: linkFilterTexts.statuses[value] })),
        ]}
      />
      <NativeSelect
        aria-label={linkFilterTexts.order}
        value={sort}
        onChange={(event) => change({ sort: SORTS.find((one) => one === event.currentTarget.value) ?? "-created_at" })}
        data={SORTS.map((value) => ({ value, label: linkFilterTexts.orders[value] }))}
      />
    </search>
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
      aria-label={linkFilterTexts.search}
      placeholder={linkFilterTexts.searchPlaceholder}
      maxLength={SEARCH_MAX_CHARS}
      leftSection={icon("search", 18)}
      rightSection={text && <CloseButton size="sm" aria-label={linkFilterTexts.clearSearch} onClick={() => type("")} />}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

/** Includes the chosen one, even if it has become inactive. */
function useDomainOptions(chosen: string | undefined): { value: string; label: string }[] {
  const names = new Set([...(chosen === undefined ? [] : [chosen]), ...useActiveDomainNames()]);
  return [
    { value: "", label: linkFilterTexts.allDomains },
    ...[...names].map((name) => ({ value: name, label: readableHost(name) })),
  ];
}

const TAG_SEPARATOR = ", ";

function tagOptions(chosen: readonly string[], known: readonly string[]): { value: string; label: string }[] {
  const names = uniqueTags([...(chosen.length > 0 ? [chosen.join(TAG_SEPARATOR)] : []), ...known]);
  return [{ value: "", label: linkFilterTexts.anyTag }, ...names.map((name) => ({ value: name, label: name }))];
}
