/** A card of statistics with a tab for each of its groupings. */
import { ActionIcon, Box, Group, Paper, Skeleton, Tabs, Title, Tooltip } from "@mantine/core";
import { useId } from "react";

import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import { IconDownload } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { cardName, groupingsOfCard, tabName } from "./bucket-names.ts";
import { BucketTable } from "./bucket-table.tsx";
import { downloadBuckets } from "./downloads.ts";
import { StatsError } from "./stats-errors.tsx";
import type { Card } from "./stats-params.ts";
import { type StatsView, useStats } from "./use-stats.ts";

interface GroupingCardProps {
  card: Card;
  view: StatsView;
}

export function GroupingCard({ card, view }: GroupingCardProps) {
  const titleId = useId();
  const groupings = groupingsOfCard(card);
  const { params, change } = view;
  const shown = groupings.find((one) => one === params.cards[card]) ?? groupings[0] ?? null;
  const choose = (value: string | null) => {
    const chosen = groupings.find((one) => one === value);
    if (!chosen) return;
    const { [card]: _, ...others } = params.cards;
    change({ cards: chosen === groupings[0] ? others : { ...others, [card]: chosen } });
  };
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby={titleId}>
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={3} size="h5" id={titleId}>
          {cardName(card)}
        </Title>
        {shown && <DownloadButton card={card} grouping={shown} view={view} />}
      </Group>
      <Tabs value={shown} onChange={choose} keepMounted={false}>
        <Tabs.List aria-label={texts.tabsOf(cardName(card))}>
          {groupings.map((one) => (
            <Tabs.Tab key={one} value={one} px="xs">
              {tabName(one)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {groupings.map((one) => (
          <Tabs.Panel key={one} value={one} pt="xs">
            <Buckets grouping={one} view={view} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Paper>
  );
}

function DownloadButton({ card, grouping, view }: GroupingCardProps & { grouping: AccountGrouping }) {
  const { data } = useStats(view, grouping);
  const label = texts.downloadCard(cardName(card));
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        aria-label={label}
        disabled={!data || data.buckets.length === 0}
        onClick={() => data && void downloadBuckets(view.subject, grouping, data)}
      >
        <IconDownload size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function Buckets({ grouping, view }: { grouping: AccountGrouping; view: StatsView }) {
  const { data, error, refetch } = useStats(view, grouping);
  if (error && !data) return <StatsError error={error} retry={() => void refetch()} />;
  if (!data) return <TableSkeleton />;
  return <BucketTable grouping={grouping} stats={data} view={view} />;
}

function TableSkeleton() {
  return (
    <Box aria-hidden>
      {[90, 70, 55, 40, 25].map((width) => (
        <Skeleton key={width} height={22} width={`${width}%`} my={8} />
      ))}
    </Box>
  );
}
