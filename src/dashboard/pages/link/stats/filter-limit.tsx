/** Shown instead of numbers when a range has more clicks than filters can count, with shorter ranges to choose from. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";

import { formatCount } from "../../../formatting/numbers.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { LOG_CLICKS_MAX } from "./click-log.ts";
import { RANGE_PRESET_NAMES, type RangePreset, type TimeRange } from "./time-range.ts";
import type { StatsView } from "./use-stats.ts";

const OFFERED_MAX = 3;

export function FilterLimit({ view: { params, change }, clicks }: { view: StatsView; clicks: number }) {
  const { range } = params;
  return (
    <Alert color="yellow" variant="light" role="alert" title={texts.tooManyToFilter}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{texts.tooManyToFilterHint(formatCount(clicks), formatCount(LOG_CLICKS_MAX))}</Text>
        <Group gap="xs">
          {shorterRanges(range).map((preset) => (
            <Button
              key={preset}
              size="xs"
              variant="default"
              onClick={() => change({ range: { kind: "preset", preset }, interval: null })}
            >
              {texts.showRange(texts.ranges[preset])}
            </Button>
          ))}
          <Button size="xs" variant="default" onClick={() => change({ filters: {} })}>
            {texts.clearFilters}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The longest that are shorter. */
function shorterRanges(range: TimeRange): readonly RangePreset[] {
  const end = range.kind === "preset" ? RANGE_PRESET_NAMES.indexOf(range.preset) : RANGE_PRESET_NAMES.indexOf("month");
  return RANGE_PRESET_NAMES.slice(Math.max(0, end - OFFERED_MAX), end).toReversed();
}
