/** A card of statistics with a tab for each of its groupings. */
import { Box, Skeleton, Tabs, Table, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link as RouterLink } from "wouter";

import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import { UNKNOWN_KEY } from "../../../../core/clicks/facts.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { BreakableAddress } from "../../../components/breakable-address.tsx";
import { FlatButton, Hint } from "../../../components/buttons.tsx";
import { useSeen } from "../../../components/use-seen.ts";
import { formatCount, formatShare } from "../../../formatting/numbers.ts";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { DestinationIcon } from "../../links/destination-icon.tsx";
import { countryName } from "../visitor-names.ts";
import { CARD_NAMES, groupingsOfCard, tabName, bucketName, groupingName, isFilterable } from "./bucket-names.ts";
import classes from "./bucket-table.module.css";
import { DownloadableCard, downloadBuckets } from "./card-downloads.tsx";
import { KeyIcon } from "./key-icon.tsx";
import { useNamedLink } from "./link-names.ts";
import { StatsError } from "./stats-errors.tsx";
import { type Card, toggleFilter } from "./stats-params.ts";
import { type StatsView, useStats } from "./use-stats.ts";

interface GroupingCardProps {
  card: Card;
  view: StatsView;
}

export function GroupingCard({ card, view }: GroupingCardProps) {
  const groupings = groupingsOfCard(card);
  const [first = "country"] = groupings;
  const { params, change } = view;
  const shown = groupings.find((one) => one === params.cards[card]) ?? first;
  const { data } = useStats(view, shown);
  const choose = (value: string | null) => {
    const { [card]: _, ...others } = params.cards;
    const chosen = groupings.find((one) => one === value && one !== first);
    change({ cards: chosen ? { ...others, [card]: chosen } : others });
  };
  return (
    <DownloadableCard
      name={CARD_NAMES[card]}
      file={`${view.subject.name}-${shown.replaceAll("_", "-")}`}
      saveCsv={data && data.buckets.length > 0 ? () => downloadBuckets(view.subject, shown, data) : undefined}
    >
      <Tabs value={shown} onChange={choose} keepMounted={false}>
        <Tabs.List data-not-in-image aria-label={texts.tabsOf(CARD_NAMES[card])}>
          {groupings.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {tabName(one)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown} pt="xs">
          <Buckets key={shown} grouping={shown} view={view} />
        </Tabs.Panel>
      </Tabs>
    </DownloadableCard>
  );
}

function Buckets({ grouping, view }: { grouping: AccountGrouping; view: StatsView }) {
  const { data, error, refetch } = useStats(view, grouping);
  if (error && !data) return <StatsError error={error} retry={() => void refetch()} />;
  if (data) return <BucketTable grouping={grouping} stats={data} view={view} />;
  return (
    <Box aria-hidden>
      {[90, 70, 55, 40, 25].map((width) => (
        <Skeleton key={width} height={22} width={`${width}%`} my={8} />
      ))}
    </Box>
  );
}

const COLLAPSED_ROWS = 8;

interface BucketTableProps {
  grouping: AccountGrouping;
  stats: Stats;
  view: StatsView;
}

/** Buckets as a table with bars, in the API's order: most clicks first. A row filters everything by its key. */
function BucketTable({ grouping, stats, view }: BucketTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { buckets, total } = stats;
  const maxClicks = buckets[0]?.clicks ?? 0;
  const rows = showsAll ? buckets : buckets.slice(0, COLLAPSED_ROWS);
  if (buckets.length === 0) {
    return <Hint py="md">{texts.noClicksInCard}</Hint>;
  }
  return (
    <>
      <div
        className={classes.scroll}
        {...(showsAll ? { tabIndex: 0, role: "region", "aria-label": texts.allBy(groupingName(grouping)) } : {})}
      >
        <Table verticalSpacing={4} horizontalSpacing={8} withRowBorders={false} layout="fixed">
          <caption className={classes.caption}>
            <VisuallyHidden>{texts.clicksBy(groupingName(grouping))}</VisuallyHidden>
          </caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{groupingName(grouping)}</Table.Th>
              <Table.Th className={classes.clicks}>{texts.clicks}</Table.Th>
              <Table.Th className={classes.share}>{texts.share}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, name, clicks }) => (
              <Table.Tr key={key} className={classes.row}>
                <Table.Td className={classes.name}>
                  <span className={classes.bar} style={{ width: `${(100 * clicks) / maxClicks}%` }} aria-hidden />
                  <BucketLabel grouping={grouping} bucketKey={key} givenName={name} view={view} />
                </Table.Td>
                <Table.Td className={classes.clicks}>{formatCount(clicks)}</Table.Td>
                <Table.Td className={classes.share}>{formatShare(clicks / total)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {buckets.length > COLLAPSED_ROWS && (
        <FlatButton mt="xs" data-not-in-image onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? texts.showFewer : texts.showAll(formatCount(buckets.length))}
        </FlatButton>
      )}
    </>
  );
}

interface BucketLabelProps {
  grouping: AccountGrouping;
  bucketKey: string;
  /** The name of a QR code. */
  givenName?: string | undefined;
  view: StatsView;
}

function BucketLabel(props: BucketLabelProps) {
  return props.grouping === "link" && isFilterable("link", props.bucketKey) ? (
    <LinkLabel {...props} />
  ) : (
    <KeyLabel {...props} />
  );
}

function KeyLabel({ grouping, bucketKey, givenName, view }: BucketLabelProps) {
  const keyName = useBucketName(grouping, bucketKey);
  const name = givenName === undefined ? keyName : `${givenName} (${keyName})`;
  const label = (
    <>
      <KeyIcon grouping={grouping} bucketKey={bucketKey} />
      <Name text={name} />
    </>
  );
  if (!isFilterable(grouping, bucketKey)) return <span className={classes.label}>{label}</span>;
  return (
    <FilterButton grouping={grouping} bucketKey={bucketKey} view={view} name={name}>
      {label}
    </FilterButton>
  );
}

/**
 * What is known of a link is fetched once its row comes into view. A second link leads to the page of the link.
 */
function LinkLabel({ bucketKey, givenName, view }: BucketLabelProps) {
  const { ref, wasSeen } = useSeen<HTMLDivElement>();
  const { name, link } = useNamedLink(bucketKey, givenName, wasSeen);
  return (
    <div ref={ref} className={classes.link}>
      <FilterButton
        grouping="link"
        bucketKey={bucketKey}
        view={view}
        name={link?.title ? `${name}\n${link.title}` : name}
      >
        {link ? <DestinationIcon url={link.url} /> : link === null ? icon("link-off", 18) : icon("link", 18)}
        {link === undefined && givenName === undefined ? <Skeleton height={12} width="60%" /> : <Name text={name} />}
      </FilterButton>
      {link && (
        <RouterLink to={`/links/${link.id}`} className={classes.open} aria-label={texts.openLink(name)}>
          {icon("arrow-right", 16)}
        </RouterLink>
      )}
    </div>
  );
}

/** Narrow: lines break after dots, too. */
function Name({ text }: { text: string }) {
  return (
    <span className={classes.text}>
      <BreakableAddress text={text} at={/(?<=[./])/} />
    </span>
  );
}

interface FilterButtonProps extends BucketLabelProps {
  name: string;
  children: ReactNode;
}

function FilterButton({ grouping, bucketKey, view: { params, change }, name, children }: FilterButtonProps) {
  return (
    <UnstyledButton
      className={`${classes.label} ${classes.filter}`}
      title={name}
      aria-pressed={params.filters[grouping]?.includes(bucketKey) ?? false}
      onClick={() => change({ filters: toggleFilter(params.filters, grouping, bucketKey) })}
    >
      {children}
    </UnstyledButton>
  );
}

/** Keyed by ISO 3166-2 code. Loaded on demand: `Intl` has no names of subdivisions, and the list is long. */
const subdivisionNamesQuery = queryOptions({
  queryKey: ["subdivision-names"],
  queryFn: async () => {
    const { iso31662 } = await import("iso-3166");
    return new Map(iso31662.map(({ code, name }) => [code, name]));
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** Falls back to the code if a name is not loaded yet, or failed to load. */
function useBucketName(grouping: AccountGrouping, key: string): string {
  const isRegion = grouping === "region" && key !== UNKNOWN_KEY;
  const { data: names } = useQuery({ ...subdivisionNamesQuery, enabled: isRegion });
  const name = isRegion ? names?.get(key) : undefined;
  return name === undefined ? bucketName(grouping, key) : `${name}, ${countryName(key.slice(0, 2))}`;
}
