/** Finds links, pages and actions by typing. Loaded when it is first opened. */
import "@mantine/spotlight/styles.css";

import { createSpotlight, Spotlight } from "@mantine/spotlight";
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

interface Action {
  label: string;
  icon: ReactNode;
  run: () => void;
}

/** @param openings  number of requests to open it: it opens with each change */
export default function CommandPalette({ openings }: { openings: number }) {
  const [query, setQuery] = useState("");
  useEffect(() => spotlight.open(), [openings]);
  const { links, isFetching, error } = useLinkSearch(query);
  const actions = useActions().filter(({ label }) => label.toLowerCase().includes(query.trim().toLowerCase()));
  const isEmpty = links.length === 0 && actions.length === 0;
  useSelectFirst(links.map(({ id }) => id).join());
  const state = error ? texts.failed : isFetching ? texts.searching : texts.nothing;
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      attributes={{ content: { "aria-label": texts.title } }}
      shortcut={null}
      scrollable
      maxHeight={420}
    >
      <Spotlight.Search aria-label={texts.title} placeholder={texts.placeholder} leftSection={icon("search", 18)} />
      <Spotlight.ActionsList>
        {links.length > 0 && (
          <Spotlight.ActionsGroup label={shellTexts.links}>
            {links.map((link) => (
              <LinkAction key={link.id} link={link} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {actions.length > 0 && (
          <Spotlight.ActionsGroup label={texts.actions}>
            {actions.map(({ label, icon, run }) => (
              <Spotlight.Action key={label} label={label} leftSection={icon} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        )}
        {isEmpty && <Spotlight.Empty role="status">{state}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
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

function LinkAction({ link }: { link: Link }) {
  const [, navigate] = useLocation();
  const text = [link.title, readableUrl(link.url)].filter(Boolean).join(" · ");
  return (
    <Spotlight.Action
      leftSection={icon("link", 18)}
      label={linkName(link)}
      // Otherwise, it has too little contrast while it is selected.
      styles={{ actionDescription: { opacity: 1 } }}
      description={text.length > DESCRIPTION_MAX_CHARS ? `${text.slice(0, DESCRIPTION_MAX_CHARS)}…` : text}
      onClick={() => leavePage(() => navigate(`/links/${link.id}`))}
    />
  );
}

const DESCRIPTION_MAX_CHARS = 70;

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

function useActions(): Action[] {
  const [, navigate] = useLocation();
  const { mode } = useMode();
  const switchMode = useModeSwitch();
  const page = icon("arrow-right", 18);
  const pages: [label: string, sign: ReactNode, path: string][] = [
    [texts.createLink, icon("plus", 18), "/links?dialog=link"],
    [texts.createMany, icon("table-import", 18), "/links?dialog=many"],
    [texts.importLinks, icon("file-import", 18), "/import"],
    [shellTexts.overview, page, "/"],
    [overviewTexts.wall, page, "/wall"],
    [texts.allLinks, page, "/links"],
    [shellTexts.tags, page, "/tags"],
    [texts.apiKeys, page, "/settings/api-keys"],
    [texts.domains, page, "/settings/domains"],
    [texts.utmTemplates, page, "/settings/utm-templates"],
    [accountMenuTexts.settings, page, "/settings/account"],
  ];
  return [
    ...pages.map(([label, sign, to]) => ({ label, icon: sign, run: () => leavePage(() => navigate(to)) })),
    {
      label: texts.switchMode[mode],
      icon: icon("flask", 18),
      run: () => switchMode(mode === "live" ? "test" : "live"),
    },
    { label: shellTexts.docs, icon: icon("book", 18), run: () => location.assign("/docs") },
  ];
}
