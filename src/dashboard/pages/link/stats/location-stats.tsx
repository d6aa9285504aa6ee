/** The world map beside the groupings by place. */
import { Grid, Paper, Skeleton, Title } from "@mantine/core";

import type { Stats } from "../../../../core/contract/stats.ts";
import { lazyPart } from "../../../components/lazy-part.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import type { ClickLights } from "./click-lights.ts";
import { GroupingCard } from "./grouping-card.tsx";
import { toggleFilter } from "./stats-params.ts";
import { type StatsView, useStats } from "./use-stats.ts";

const WorldMap = lazyPart(() => import("./world-map.tsx"), <Skeleton height={240} />);

const NO_BUCKETS: Stats["buckets"] = [];

export function LocationStats({ view, lights }: { view: StatsView; lights: ClickLights }) {
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
            buckets={data?.buckets ?? NO_BUCKETS}
            lights={lights}
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
