/** Finds links, pages and actions by typing. Loaded when it is first opened. */
import "@mantine/spotlight/styles.css";

import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useLocation } from "wouter";

import type { Link } from "../../core/contract/links.ts";
import { unwrap, useApi } from "../api/client.ts";
import { leavePage } from "../components/leaving-guard.ts";
import { linkName, readableUrl } from "../formatting/hosts.ts";
import { icon } from "../icons.tsx";
import { useMode, useModeSwitch } from "../mode.ts";
import { overviewTexts } from "../texts/overview.ts";
import { accountMenuTexts, paletteTexts as texts, shellTexts } from "../texts/shell.ts";

const LINKS_MAX = 6;
const SEARCH_DELAY_MS = 200;
const [store, spotlight] = createSpotlight();

/** @param openings  number of requests to open it: it opens with each change */
export default function CommandPalette({ openings }: { openings: number }) {
  const [query, setQuery] = useState("");
  const go = useGo();
  useEffect(() => spotlight.open(), [openings]);
  const { links, isFetching, error } = useLinkSearch(query);
  const actions = useActions().filter(({ id }) => id.toLowerCase().includes(query.trim().toLowerCase()));
  const groups = [
    { group: shellTexts.links, actions: links.map((link) => linkAction(link, go)) },
    { group: texts.actions, actions },
  ];
  useSelectFirst(links.map(({ id }) => id).join());
  const state = error ? texts.failed : isFetching ? texts.searching : texts.nothing;
  return (
    <Spotlight
      store={store}
      query={query}
      onQueryChange={setQuery}
      actions={groups.filter((group) => group.actions.length > 0)}
      filter={(_, found) => found}
      nothingFound={<span role="status">{state}</span>}
      searchProps={{ "aria-label": texts.title, placeholder: texts.placeholder, leftSection: icon("search", 18) }}
      attributes={{ content: { "aria-label": texts.title } }}
      shortcut={null}
      scrollable
      maxHeight={420}
    />
  );
}

/** Enter opens the first result, also of links that are found after the list has chosen an action. */
function useSelectFirst(found: string): void {
  useEffect(() => {
    if (found === "") return;
    const results = document.querySelectorAll(`#${store.getState().listId} [data-action]`);
    for (const [i, result] of results.entries()) result.toggleAttribute("data-selected", i === 0);
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [found]);
}

/** Opens a page, once confirmed if changes would be lost. */
function useGo(): (path: string) => void {
  const [, navigate] = useLocation();
  return (path) => leavePage(() => navigate(path));
}

const DESCRIPTION_MAX_CHARS = 70;

function linkAction(link: Link, go: (path: string) => void): SpotlightActionData {
  const text = [link.title, readableUrl(link.url)].filter(Boolean).join(" · ");
  return {
    id: link.id,
    leftSection: icon("link", 18),
    label: linkName(link),
    // Otherwise, it has too little contrast while it is selected.
    styles: { actionDescription: { opacity: 1 } },
    description: text.length > DESCRIPTION_MAX_CHARS ? `${text.slice(0, DESCRIPTION_MAX_CHARS)}…` : text,
    onClick: () => go(`/links/${link.id}`),
  };
}

/** Matching links; none for an empty search. */
function useLinkSearch(query: string): { links: Link[]; isFetching: boolean; error: unknown } {
  const { api, mode } = useApi();
  const [search] = useDebouncedValue(query.trim(), SEARCH_DELAY_MS);
  const { data, isFetching, error } = useQuery({
    queryKey: [mode, "links", "palette", search],
    queryFn: ({ signal }) =>
      unwrap(api.links.$get({ query: { search, limit: String(LINKS_MAX) } }, { init: { signal } })),
    enabled: search !== "",
    placeholderData: keepPreviousData,
  });
  return { links: query.trim() === "" ? [] : (data?.data ?? []), isFetching, error };
}

function useActions(): SpotlightActionData[] {
  const go = useGo();
  const { mode } = useMode();
  const switchMode = useModeSwitch();
  const page = icon("arrow-right", 18);
  const toOther = () => switchMode(mode === "live" ? "test" : "live");
  const actions: [label: string, sign: ReactNode, run: () => void][] = [
    [texts.createLink, icon("plus", 18), () => go("/links?dialog=link")],
    [texts.createMany, icon("table-import", 18), () => go("/links?dialog=many")],
    [texts.importLinks, icon("file-import", 18), () => go("/import")],
    [shellTexts.overview, page, () => go("/")],
    [overviewTexts.wall, page, () => go("/wall")],
    [texts.allLinks, page, () => go("/links")],
    [shellTexts.tags, page, () => go("/tags")],
    [texts.apiKeys, page, () => go("/settings/api-keys")],
    [texts.domains, page, () => go("/settings/domains")],
    [texts.utmTemplates, page, () => go("/settings/utm-templates")],
    [accountMenuTexts.settings, page, () => go("/settings/account")],
    [texts.switchMode[mode], icon("flask", 18), toOther],
    [shellTexts.docs, icon("book", 18), () => location.assign("/docs")],
  ];
  return actions.map(([label, leftSection, onClick]) => ({ id: label, label, leftSection, onClick }));
}
