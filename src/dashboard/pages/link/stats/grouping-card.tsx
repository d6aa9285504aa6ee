/** A card of statistics with a tab for each of its groupings. */
import { Box, Skeleton, Tabs } from "@mantine/core";

import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import { IconButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { icon } from "../../../icons.tsx";
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
    <TitledCard
      isTile
      order={3}
      title={cardName(card)}
      action={shown && <DownloadButton card={card} grouping={shown} view={view} />}
    >
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
    </TitledCard>
  );
}

function DownloadButton({ card, grouping, view }: GroupingCardProps & { grouping: AccountGrouping }) {
  const { data } = useStats(view, grouping);
  return (
    <IconButton
      hasTooltip
      color="brand"
      label={texts.downloadCard(cardName(card))}
      sign={icon("download", 16)}
      disabled={!data || data.buckets.length === 0}
      onClick={() => data && void downloadBuckets(view.subject, grouping, data)}
    />
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
