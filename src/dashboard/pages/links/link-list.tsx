/** One page of links: toolbar, rows, and buttons for the next and the previous page. */
import { Anchor, Group, Loader, NativeSelect, Text, Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Link as RouteLink } from "wouter";

import type { DashboardLink } from "../../../core/contract/dashboard.ts";
import type { Link } from "../../../core/contract/links.ts";
import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { configQuery } from "../../api/account.ts";
import { apiClients, queryClient, unwrap, useApi } from "../../api/client.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { Hint, PlainButton } from "../../components/buttons.tsx";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { EmptyState, ErrorState, ListSkeleton } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import { notifyError } from "../../notifications.ts";
import { bulkActionTexts, handOverTexts, linkListTexts as texts, switchTexts } from "../../texts/links.ts";
import type { BulkAction } from "./bulk-changes.tsx";
import classes from "./link-list.module.css";
import {
  NOTHING_SELECTED,
  PAGE_REQUESTS_MAX,
  SELECTED_LINKS_MAX,
  toggleOne,
  togglePage,
  toggleRange,
  type useLinkPage,
} from "./link-page.ts";
import { LinkRow } from "./link-row.tsx";
import {
  isFiltered,
  type LinksView,
  type LinksViewState,
  PAGE_SIZES,
  type PagePosition,
  type useColumns,
  withTag,
} from "./links-view.ts";
import { useRowCommands, useRowKeys } from "./row-commands.tsx";
import { SWITCHES, switchesFor } from "./switch-actions.tsx";

const EditLink = lazyDialog(() => import("../link/edit-link.tsx"));

interface LinkListProps {
  state: LinksViewState;
  linkPage: ReturnType<typeof useLinkPage>;
  isShown: ReturnType<typeof useColumns>["isShown"];
  onDuplicate: (link: Link) => void;
  onClear: () => void;
}

export function LinkList({ state, linkPage, isShown, onDuplicate, onClear }: LinkListProps) {
  const { view } = state;
  const { page, request } = linkPage;
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const [edited, setEdited] = useState<string>();
  const shown = page.data?.links ?? NO_LINKS;
  const ids = shown.map(({ id }) => id);
  const commands = useRowCommands({
    edit: ({ id }) => setEdited(id),
    duplicate: onDuplicate,
    toggle: (id, isRange) => setSelection((before) => (isRange ? toggleRange(before, ids, id) : toggleOne(before, id))),
    filterByTag: (tag) => state.change({ filters: withTag(view.filters, tag) }),
  });
  const rowKeys = useRowKeys(shown, commands);
  const select = (chosen: readonly string[]) => setSelection({ ids: new Set(chosen), anchor: null });
  const matching = useMatchingLinks(linkPage, select);
  const progress = page.isFetching && request > 1 && <SearchProgress request={request} />;
  const failure = page.error && <ErrorState error={page.error} retry={() => void page.refetch()} />;
  if (!page.data) return failure || progress || <ListSkeleton rows={6} height={76} />;
  const { links, next } = page.data;
  if (links.length === 0 && next === null && view.position.cursor === null) {
    if (failure) return failure;
    if (!isFiltered(view.filters)) return <NoLinksYet onCreate={() => state.openDialog("link")} />;
    return (
      <EmptyState icon={icon("search-off", 30)} title={texts.noMatches} action={texts.showAll} onAction={onClear}>
        {texts.noMatchesHint}
      </EmptyState>
    );
  }

  const selected = (matching.found?.links ?? links).filter(({ id }) => selection.ids.has(id));
  const isSearchIncomplete = next !== null && links.length < view.size;
  return (
    <section aria-label={texts.title} aria-busy={page.isPlaceholderData}>
      {/* The last rows stay, and with them the dialogs: of typed text, and of a change that can be retried. */}
      {failure}
      {progress}
      <ListToolbar
        state={state}
        shown={links.length}
        isLast={next === null}
        selected={selected}
        matching={matching}
        onTogglePage={() => {
          matching.forget();
          setSelection((before) => (matching.found ? NOTHING_SELECTED : togglePage(before, ids)));
        }}
        onSelect={(chosen) => {
          if (chosen.length === 0) matching.forget();
          select(chosen);
        }}
      />
      <ul className={classes.list} {...rowKeys}>
        {links.map((link) => (
          <LinkRow
            key={link.id}
            link={link}
            isSelected={selection.ids.has(link.id)}
            isShown={isShown}
            commands={commands}
          />
        ))}
      </ul>
      {links.length === 0 && <Text c="dimmed">{next === null ? texts.noMore : texts.noneSoFar}</Text>}
      <PageButtons
        state={state}
        next={next === null ? null : { cursor: next, first: view.position.first + links.length }}
        isSearchIncomplete={isSearchIncomplete}
        isLoading={page.isPlaceholderData}
      />
      {edited !== undefined && <EditLink id={edited} onClose={() => setEdited(undefined)} />}
    </section>
  );
}

const NO_LINKS: readonly DashboardLink[] = [];

/** The links on all pages of the view, once they were selected. Another view has others. */
function useMatchingLinks({ matches }: LinkListProps["linkPage"], onSelect: (ids: readonly string[]) => void) {
  const key = JSON.stringify(matches.queryKey);
  const [selectedKey, setSelectedKey] = useState<string>();
  const isSelected = selectedKey === key;
  const { data } = useQuery({ ...matches, enabled: isSelected });
  const read = useSingleMutation({
    mutationFn: () => queryClient.fetchQuery(matches),
    onSuccess: ({ links }) => {
      setSelectedKey(key);
      onSelect(links.map(({ id }) => id));
    },
    onError: (error) => notifyError(texts.notSelected, error),
  });
  return { read, found: isSelected ? data : undefined, forget: () => setSelectedKey(undefined) };
}

/** Shown if few links match and further requests are needed. */
function SearchProgress({ request }: { request: number }) {
  return (
    <Group gap="xs" role="status" py="sm">
      <Loader size="xs" aria-hidden />
      <Hint>{texts.searchingFurther(request, PAGE_REQUESTS_MAX)}</Hint>
    </Group>
  );
}

function NoLinksYet({ onCreate }: { onCreate: () => void }) {
  const { mode } = useApi();
  const { data: config } = useQuery(configQuery);
  return (
    <EmptyState
      icon={icon("link", 30)}
      title={texts.noLinks[mode]}
      example={config && texts.example(config.short_domains[mode])}
      action={texts.createFirst[mode]}
      onAction={onCreate}
    >
      {texts.noLinksHint}{" "}
      <Text component="a" href="/docs/quickstart" inherit td="underline" c="var(--mantine-color-anchor)">
        {texts.readDocs}
      </Text>
      <br />
      {texts.movingHint}{" "}
      <Anchor component={RouteLink} href="/import" inherit underline="always">
        {texts.importThem}
      </Anchor>
    </EmptyState>
  );
}

interface PageButtonsProps {
  state: LinksViewState;
  /** Null on the last page. */
  next: PagePosition | null;
  isSearchIncomplete: boolean;
  isLoading: boolean;
}

/** Buttons for the next and previous page, and the page size. */
function PageButtons({ state, next, isSearchIncomplete, isLoading }: PageButtonsProps) {
  const { view, trail, change, goToNext, goToPrevious } = state;
  const isFirst = view.position.cursor === null;
  if (isFirst && next === null && view.size === PAGE_SIZES[0]) return null;
  const go = (move: () => void) => {
    move();
    window.scrollTo({ top: 0 });
  };
  return (
    <Group component="nav" aria-label={texts.pages} className={classes.pages} mt="md">
      <PlainButton
        leftSection={icon("arrow-left", 16)}
        disabled={isFirst || isLoading}
        onClick={() => go(goToPrevious)}
      >
        {trail.length === 0 && !isFirst ? texts.firstPage : texts.previous}
      </PlainButton>
      <NativeSelect
        aria-label={texts.pageSize}
        value={String(view.size)}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: texts.perPage(size) }))}
        onChange={(event) => {
          const size = Number(event.currentTarget.value);
          change({ size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0] });
        }}
      />
      <PlainButton
        rightSection={isSearchIncomplete ? icon("search", 16) : icon("arrow-right", 16)}
        disabled={next === null || isLoading}
        onClick={() => next !== null && go(() => goToNext(next))}
      >
        {isSearchIncomplete ? texts.searchOn : texts.next}
      </PlainButton>
    </Group>
  );
}

/** Shown above the rows: select the page, the range of links on it, export. */

const ToolButton = Button.withProps({ variant: "subtle", color: "gray", size: "compact-sm" });

interface ListToolbarProps {
  state: LinksViewState;
  /** Number of links on the page. */
  shown: number;
  /** Whether this is the last page. */
  isLast: boolean;
  selected: readonly Link[];
  matching: ReturnType<typeof useMatchingLinks>;
  onTogglePage: () => void;
  onSelect: (ids: readonly string[]) => void;
}

function ListToolbar({ state, shown, isLast, selected, matching, onTogglePage, onSelect }: ListToolbarProps) {
  const { view } = state;
  const { first } = view.position;
  const last = first + shown - 1;
  const all = useTotalLinks(!isLast && shown > 0 && !isFiltered(view.filters));
  // A link created in the meantime may be on the page but not yet in the count.
  const total = isLast ? last : all !== null && all >= last ? all : null;
  return (
    <div className={classes.toolbar}>
      <Checkbox
        aria-label={texts.selectPage}
        checked={shown > 0 && selected.length >= shown}
        indeterminate={selected.length > 0 && selected.length < shown}
        disabled={shown === 0}
        onChange={onTogglePage}
      />
      <Hint role="status">
        {selected.length > 0
          ? texts.selected(selected.length)
          : shown > 0 && texts.range(first, last, total === null ? undefined : formatCount(total))}
      </Hint>
      {shown > 0 && selected.length === shown && !(isLast && first === 1) && !matching.found && (
        <ToolButton loading={matching.read.isPending} onClick={() => matching.read.mutate()}>
          {texts.selectMatching}
        </ToolButton>
      )}
      {matching.found?.next && <Hint>{texts.onlyFirst(SELECTED_LINKS_MAX)}</Hint>}
      <BulkActions view={view} selected={selected} onSelect={onSelect} />
      {view.sort === "-clicks" && <Hint>{texts.sortedByClicks}</Hint>}
      {selected.length === 0 && (
        <Group gap="xs" className={classes.spread}>
          <ToolButton component={RouteLink} href="/import" leftSection={icon("file-import", 16)}>
            {texts.import}
          </ToolButton>
          <ToolButton leftSection={icon("download", 16)} onClick={() => state.openDialog("export")}>
            {texts.export}
          </ToolButton>
        </Group>
      )}
    </div>
  );
}

/**
 * The number of the mode's links, without counting rows. The account's count includes both modes, so the other mode's
 * links and the archived ones are subtracted, if they fit on a page.
 * @returns null while unknown, and if they do not fit
 */
function useTotalLinks(isWanted: boolean): number | null {
  const { mode } = useApi();
  const other = mode === "live" ? "test" : "live";
  const { data = null } = useQuery({
    // Its key extends that of the lists, so that it is fetched again with them.
    queryKey: [mode, "links", "total"],
    queryFn: async ({ signal }) => {
      const init = { signal };
      const list = (of: typeof mode, archived: "true" | "any") =>
        unwrap(apiClients[of].links.$get({ query: { limit: String(PAGE_LINKS_MAX), archived } }, { init }));
      const [{ limits }, ...unlisted] = await Promise.all([
        unwrap(apiClients[mode].me.$get({ query: {} }, { init })),
        list(mode, "true"),
        list(other, "any"),
      ]);
      if (unlisted.some(({ has_more }) => has_more)) return null;
      return limits.links.used - unlisted.reduce((sum, { data: links }) => sum + links.length, 0);
    },
    enabled: isWanted,
  });
  return data;
}

/** Actions on all selected links: buttons, and the dialog of the chosen action. */

const BulkChange = lazyDialog(() => import("./bulk-changes.tsx"));
const QrSheet = lazyDialog(() => import("../link/qr/qr-sheet.tsx"));
const ExportLinks = lazyDialog(() => import("./export-links.tsx"));

interface BulkActionsProps {
  view: LinksView;
  selected: readonly Link[];
  /** Selects these instead: none, or the refused ones. */
  onSelect: (ids: readonly string[]) => void;
}

type Action = BulkAction | "export" | "qrSheet";

const ACTIONS: readonly { name: Action; label: string; sign: ReactElement }[] = [
  { name: "tags", label: bulkActionTexts.tag, sign: icon("tag", 16) },
  { name: "destination", label: bulkActionTexts.changeDestination, sign: icon("replace", 16) },
  { name: "expiry", label: bulkActionTexts.setExpiry, sign: icon("clock-x", 16) },
  { name: "qrSheet", label: bulkActionTexts.qrSheet, sign: icon("qrcode", 16) },
  { name: "export", label: texts.export, sign: icon("download", 16) },
  { name: "handOver", label: handOverTexts.label, sign: icon("plug", 16) },
  { name: "delete", label: bulkActionTexts.delete, sign: icon("trash", 16) },
];

/** Deletion comes last. A QR sheet takes several requests for each link. */
function actionsFor(selected: readonly Link[]): typeof ACTIONS {
  const switches = switchesFor(selected).map((name) => ({ name, ...SWITCHES[name], label: switchTexts[name].label }));
  const actions = [...ACTIONS.slice(0, -1), ...switches, ...ACTIONS.slice(-1)];
  return actions.filter(({ name }) => name !== "qrSheet" || selected.length <= PAGE_LINKS_MAX);
}

function BulkActions({ view, selected, onSelect }: BulkActionsProps) {
  // The dialog keeps the links that it was opened for, with their latest data from the list below.
  const [open, setOpen] = useState<{ action: Action; links: readonly Link[] }>();
  const latest = new Map(selected.map((link) => [link.id, link]));
  return (
    <>
      {selected.length > 0 && (
        <Group gap="xs" className={classes.actions ?? ""} role="group" aria-label={bulkActionTexts.actions}>
          {actionsFor(selected).map(({ name, label, sign }) => (
            <PlainButton
              key={name}
              size="compact-sm"
              leftSection={sign}
              onClick={() => setOpen({ action: name, links: selected })}
            >
              {label}
            </PlainButton>
          ))}
        </Group>
      )}
      {open?.action === "export" && (
        <ExportLinks view={view} selected={open.links} onClose={() => setOpen(undefined)} />
      )}
      {open?.action === "qrSheet" && <QrSheet links={open.links} onClose={() => setOpen(undefined)} />}
      {open && open.action !== "export" && open.action !== "qrSheet" && (
        <BulkChange
          action={open.action}
          links={open.links.map((link) => latest.get(link.id) ?? link)}
          onSelect={onSelect}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
