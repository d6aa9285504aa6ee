/** A card of statistics with a tab for each of its groupings. */
import { Box, Paper, Skeleton, Tabs, Title } from "@mantine/core";
import { useId, useState } from "react";

import type { Grouping } from "../../../../core/clicks/groupings.ts";
import { ErrorState } from "../../../components/states.tsx";
import { type GroupingCardTitle, groupingName, groupingsOfCard } from "./bucket-names.ts";
import { BucketTable } from "./bucket-table.tsx";
import { type StatsView, useStats } from "./use-stats.ts";

interface GroupingCardProps {
  title: GroupingCardTitle;
  view: StatsView;
}

export function GroupingCard({ title, view }: GroupingCardProps) {
  const titleId = useId();
  const groupings = groupingsOfCard(title);
  const [grouping, setGrouping] = useState(groupings[0] ?? null);
  const choose = (value: string | null) => {
    const chosen = groupings.find((one) => one === value);
    if (chosen) setGrouping(chosen);
  };
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <Title order={3} size="h5" mb="xs" id={titleId}>
        {title}
      </Title>
      <Tabs value={grouping} onChange={choose} keepMounted={false}>
        <Tabs.List aria-label={`${title} by`}>
          {groupings.map((one) => (
            <Tabs.Tab key={one} value={one} px="xs">
              {groupingName(one)}
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

function Buckets({ grouping, view }: { grouping: Grouping; view: StatsView }) {
  const { data, error, refetch } = useStats(view, grouping);
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <TableSkeleton />;
  return <BucketTable grouping={grouping} stats={data} />;
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
