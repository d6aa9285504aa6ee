/** The world map beside the groupings by place. */
import { Grid, Paper, Skeleton, Title } from "@mantine/core";

import { lazyPart } from "../../../components/lazy-part.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { GroupingCard } from "./grouping-card.tsx";
import { toggleFilter } from "./stats-params.ts";
import { type StatsView, useStats } from "./use-stats.ts";

const WorldMap = lazyPart(() => import("./world-map.tsx"), <Skeleton height={240} />);

export function LocationStats({ view }: { view: StatsView }) {
  const { data } = useStats(view, "country");
  const { params, change } = view;
  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Paper withBorder p="md" h="100%" component="section" aria-labelledby="map-title">
          <Title order={3} size="h5" mb="xs" id="map-title">
            {texts.map}
          </Title>
          <WorldMap
            buckets={data?.buckets ?? []}
            onChoose={(country) => change({ filters: toggleFilter(params.filters, "country", country) })}
          />
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <GroupingCard card="places" view={view} />
      </Grid.Col>
    </Grid>
  );
}
