/** The statistics tab of a link, with the live feed. */
import { Button, Code, Grid, Stack } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import type { Interval } from "../../../../core/clicks/groupings.ts";
import { useApi } from "../../../api/client.ts";
import { EmptyState } from "../../../components/states.tsx";
import { LiveFeed } from "../live/live-feed.tsx";
import { useClickFeed } from "../live/use-click-feed.ts";
import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { GroupingCard } from "./grouping-card.tsx";
import { LocationStats } from "./location-stats.tsx";
import { defaultInterval, type TimeRange } from "./time-range.ts";
import { SeriesCard } from "./series-card.tsx";
import { StatsToolbar } from "./stats-toolbar.tsx";
import { type StatsView, useRefetchOnClick, useStats } from "./use-stats.ts";

const REFRESH_INTERVAL_MS = 30_000;

export default function StatsPanel({ link }: { link: Link }) {
  const { mode } = useApi();
  const queries = useQueryClient();
  const [range, setRange] = useState<TimeRange>({ kind: "preset", preset: "all" });
  const [zone, setZone] = useState(BROWSER_TIME_ZONE);
  const [includeBots, setIncludeBots] = useState(false);
  const [autoRefresh, setAutoRefresh] = useState(false);
  const [chosenInterval, setInterval] = useState<Interval | null>(null);
  const interval = chosenInterval ?? defaultInterval(range, Date.parse(link.created_at), Date.now());

  const view: StatsView = {
    linkId: link.id,
    range,
    zone,
    includeBots,
    refreshIntervalMs: autoRefresh && REFRESH_INTERVAL_MS,
  };
  const feed = useClickFeed(link.id, includeBots, useRefetchOnClick(link.id));
  const statsKey = [mode, "stats", link.id];
  const isLoading = useIsFetching({ queryKey: statsKey }) > 0;

  return (
    <Stack gap="md">
      <StatsToolbar
        range={range}
        setRange={(next) => {
          setRange(next);
          // The interval chosen for the old range could give too many bins in the new one.
          setInterval(null);
        }}
        interval={interval}
        setInterval={setInterval}
        zone={zone}
        setZone={setZone}
        includeBots={includeBots}
        setIncludeBots={setIncludeBots}
        autoRefresh={autoRefresh}
        setAutoRefresh={setAutoRefresh}
        refresh={() => void queries.invalidateQueries({ queryKey: statsKey })}
        isLoading={isLoading}
      />
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <SeriesCard view={view} interval={interval} setInterval={setInterval} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <LiveFeed feed={feed} />
        </Grid.Col>
      </Grid>
      <Breakdown link={link} view={view} showAllTime={() => setRange({ kind: "preset", preset: "all" })} />
    </Stack>
  );
}

interface BreakdownProps {
  link: Link;
  view: StatsView;
  showAllTime: () => void;
}

/** The cards of all groupings, or an empty state. */
function Breakdown({ link, view, showAllTime }: BreakdownProps) {
  const { data } = useStats(view, "country");
  if (data?.total === 0) return <NoClicks link={link} view={view} showAllTime={showAllTime} />;
  return (
    <>
      <LocationStats view={view} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <GroupingCard title="Sources" view={view} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <GroupingCard title="Devices" view={view} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <GroupingCard title="Campaigns" view={view} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <GroupingCard title="Routing" view={view} />
        </Grid.Col>
      </Grid>
    </>
  );
}

function NoClicks({ link, view, showAllTime }: BreakdownProps) {
  const isAllTime = view.range.kind === "preset" && view.range.preset === "all";
  return (
    <EmptyState
      icon={<IconChartBar aria-hidden />}
      title={isAllTime ? "No clicks yet" : "No clicks in this range"}
      action={
        !isAllTime && (
          <Button variant="default" onClick={showAllTime}>
            Show all time
          </Button>
        )
      }
    >
      {isAllTime ? (
        <>
          Share <Code>{link.short_url}</Code> or open it yourself. Clicks show up here within seconds.
        </>
      ) : (
        "Choose a longer range to see earlier clicks."
      )}
    </EmptyState>
  );
}
