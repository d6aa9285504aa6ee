/** One page of links: toolbar, rows, and buttons for the next and the previous page. */
import { Anchor, Group, Loader, NativeSelect, Text } from "@mantine/core";
import { useState } from "react";
import { Link as RouteLink } from "wouter";

import { useApi } from "../../api/client.ts";
import { EmptyState, ErrorState, ListSkeleton } from "../../components/states.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { icon } from "../../icons.tsx";
import { linkListTexts as texts } from "../../texts/links.ts";
import classes from "./link-list.module.css";
import { PAGE_REQUESTS_MAX, type useLinkPage } from "./link-page.ts";
import { LinkRow } from "./link-row.tsx";
import { isFiltered, type LinksViewState, PAGE_SIZES, type PagePosition, withTag } from "./links-view.ts";
import { ListToolbar } from "./list-toolbar.tsx";
import { NOTHING_SELECTED, toggleOne, togglePage, toggleRange } from "./selection.ts";

interface LinkListProps {
  state: LinksViewState;
  linkPage: ReturnType<typeof useLinkPage>;
  onClear: () => void;
}

export function LinkList({ state, linkPage, onClear }: LinkListProps) {
  const { view } = state;
  const { page, request } = linkPage;
  const [selection, setSelection] = useState(NOTHING_SELECTED);
  const progress = page.isFetching && request > 1 && <SearchProgress request={request} />;

  if (page.isPending) return progress || <ListSkeleton rows={6} height={76} />;
  if (page.error) return <ErrorState error={page.error} retry={() => void page.refetch()} />;
  const { links, next } = page.data;
  if (links.length === 0 && next === null && view.position.cursor === null) {
    if (!isFiltered(view.filters)) return <NoLinksYet onCreate={() => state.openDialog("link")} />;
    return (
      <EmptyState icon={icon("search-off", 30)} title={texts.noMatches} action={texts.showAll} onAction={onClear}>
        {texts.noMatchesHint}
      </EmptyState>
    );
  }

  const ids = links.map(({ id }) => id);
  const selected = links.filter(({ id }) => selection.ids.has(id));
  const isSearchIncomplete = next !== null && links.length < view.size;
  return (
    <section aria-label={texts.region} aria-busy={page.isPlaceholderData}>
      {progress}
      <ListToolbar
        state={state}
        shown={links.length}
        isLast={next === null}
        selected={selected}
        onTogglePage={() => setSelection((before) => togglePage(before, ids))}
        onSelect={(chosen) => setSelection({ ids: new Set(chosen), anchor: null })}
      />
      <ul className={classes.list}>
        {links.map((link) => (
          <LinkRow
            key={link.id}
            link={link}
            isSelected={selection.ids.has(link.id)}
            onToggle={(isRange) =>
              setSelection((before) => (isRange ? toggleRange(before, ids, link.id) : toggleOne(before, link.id)))
            }
            onTag={(tag) => state.change({ filters: withTag(view.filters, tag) })}
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
    </section>
  );
}

/** Shown while few links match and further requests are made. */
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
  return (
    <EmptyState
      icon={icon("link", 30)}
      title={texts.noLinks[mode]}
      action={texts.createFirst[mode]}
      onAction={onCreate}
    >
      {texts.noLinksHint}{" "}
      <Text component="a" href="/docs" inherit td="underline" c="var(--mantine-color-anchor)">
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
  /** Null: this is the last page. */
  next: PagePosition | null;
  isSearchIncomplete: boolean;
  isLoading: boolean;
}

/** Buttons for the next and the previous page, and the size of a page. */
function PageButtons({ state, next, isSearchIncomplete, isLoading }: PageButtonsProps) {
  const { view, trail, change, goToNext, goToPrevious } = state;
  const isFirst = view.position.cursor === null;
  if (isFirst && next === null && view.size === PAGE_SIZES[0]) return null;
  const go = (move: () => void) => {
    move();
    window.scrollTo({ top: 0 });
  };
  return (
    <Group component="nav" aria-label={texts.pages} justify="space-between" gap="xs" wrap="nowrap" mt="md">
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
