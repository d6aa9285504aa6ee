/** Page of all tags, with their numbers of links and clicks. */
import { Anchor, Group, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMemo, useState } from "react";
import { Link as RouterLink } from "wouter";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

import { OTHER_KEY } from "../../../core/clicks/counting/groupings.ts";
import type { TagPage } from "../../../core/contract/links.ts";
import { tagKey } from "../../../core/links/case-folding.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { CardTable } from "../../components/card-table.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, ErrorState, ListSkeleton, NextPage } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { tagsTexts as texts } from "../../texts/links.ts";
import { RangePicker } from "../link/stats/range-picker.tsx";
import { ACCOUNT_SCOPE, type StatsParams, useStatsParams } from "../link/stats/stats-params.ts";
import type { TimeRange } from "../link/stats/time-range.ts";
import { useAccountSubject, useStats } from "../link/stats/use-stats.ts";

const SEARCH_DELAY_MS = 250;

export default function Tags() {
  const { mode } = useMode();
  return (
    <Page title={texts.title} description={texts.hint}>
      <TagsOfMode key={mode} />
    </Page>
  );
}

function TagsOfMode() {
  const [params, change] = useStatsParams(ACCOUNT_SCOPE);
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS);
  const tags = useTags(search);
  const clicksOf = useClicksByTag(params);
  const listed = useMemo(() => tags.data?.pages.flatMap(({ data }) => data), [tags.data]);
  if (listed?.length === 0 && search === "") return <NoTags />;
  return (
    <>
      <Group align="flex-end">
        <TextInput
          type="search"
          label={texts.search}
          leftSection={icon("search", 16)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <RangePicker range={params.range} setRange={(range) => change({ range })} />
      </Group>
      {tags.error && !listed && <ErrorState error={tags.error} retry={() => void tags.refetch()} />}
      {!listed && !tags.error && <ListSkeleton rows={5} height={40} />}
      {listed?.length === 0 && <Text>{texts.noneFound}</Text>}
      {listed && listed.length > 0 && <TagTable tags={listed} clicksOf={clicksOf} range={params.range} />}
      {listed && <NextPage pages={tags} label={texts.more} />}
    </>
  );
}

function NoTags() {
  return (
    <EmptyState icon={icon("tag")} title={texts.none} example={texts.example} action={texts.toLinks} to="/links">
      {texts.noneHint}
    </EmptyState>
  );
}

interface TagTableProps {
  tags: readonly ListedTag[];
  clicksOf: ClicksOfTag;
  range: TimeRange;
}

function TagTable({ tags, clicksOf, range }: TagTableProps) {
  return (
    <CardTable
      aria-label={texts.title}
      rows={tags}
      keyOf={({ tag }) => tag}
      columns={[
        {
          name: texts.tag,
          cell: ({ tag }) => (
            <Anchor component={RouterLink} to={`/links?${new URLSearchParams({ tag })}`} lineClamp={3}>
              {tag}
            </Anchor>
          ),
        },
        { name: texts.links, isFigure: true, cell: ({ links }) => formatCount(links) },
        { name: texts.clicks, isFigure: true, cell: ({ tag }) => clicksOf(tag) },
        {
          name: "",
          isFigure: true,
          cell: ({ tag }) => (
            <Anchor component={RouterLink} to={overviewPath(tag, range)} size="sm" aria-label={texts.statsOf(tag)}>
              {texts.stats}
            </Anchor>
          ),
        },
      ]}
    />
  );
}

/** The overview filtered by a tag, over the same range. */
function overviewPath(tag: string, range: TimeRange): string {
  const shown = range.kind === "days" ? { from: range.first, to: range.last } : { range: range.preset };
  return `/?${new URLSearchParams({ ...shown, tag: tagKey(tag) })}`;
}

type ListedTag = TagPage["data"][number];

const PAGE_TAGS = "100";

/**
 * The tags of the mode's links, page by page, in alphabetical order.
 * @param search  prefix of the tags; "" for all
 */
function useTags(search: string) {
  const { api, mode } = useApi();
  return useInfiniteQuery({
    // Its key extends that of the lists of links, because tags change with them.
    queryKey: [mode, "links", "tags", search],
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: PAGE_TAGS, ...(search ? { search } : {}), ...(pageParam ? { cursor: pageParam } : {}) };
      return unwrap(api.tags.$get({ query }, { init: { signal } }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** The clicks of a tag as text: a dash if unknown. */
type ClicksOfTag = (tag: string) => string;

/** From the account's statistics. The list of tags is complete without them. */
function useClicksByTag(params: StatsParams): ClicksOfTag {
  const subject = useAccountSubject();
  const shown = { ...params, filters: {}, includeBots: false };
  const { data } = useStats(
    { subject, params: shown, change: () => {}, interval: "day", refreshIntervalMs: false },
    "tag",
  );
  if (!data) return () => texts.unknown;
  const clicks = new Map(data.buckets.map((bucket) => [tagKey(bucket.key), bucket.clicks]));
  // If there are very many tags, those with few clicks share one bucket.
  const rest = clicks.has(OTHER_KEY) ? texts.unknown : formatCount(0);
  return (tag) => {
    const count = clicks.get(tagKey(tag));
    return count === undefined ? rest : formatCount(count);
  };
}
