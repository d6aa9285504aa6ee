/** How far the account's statistics go, where that is not as far as it should be. */
import { Alert, Progress, Stack, Text } from "@mantine/core";

import { MINUTE_MS } from "../../../../core/durations.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { formatShare } from "../../../formatting/numbers.ts";
import { coverageTexts as texts } from "../../../texts/stats.ts";
import type { ShownStats } from "./stats-subject.ts";

/** Answers are at most a minute old, and stay on the page for a while. */
const LATE_AFTER_MS = 5 * MINUTE_MS;

interface CoverageProps {
  stats: ShownStats | undefined;
  /** When the answer came, epoch ms. */
  answeredAt: number;
  zone: string;
}

export function Coverage({ stats, answeredAt, zone }: CoverageProps) {
  if (stats?.as_of === undefined) return null;
  const upTo = formatDateTime(stats.as_of, zone);
  if (stats.progress !== undefined) return <Filling progress={stats.progress} upTo={upTo} hasBegun={stats.total > 0} />;
  if (answeredAt - Date.parse(stats.as_of) < LATE_AFTER_MS) return null;
  return (
    <Alert color="yellow" variant="light" role="status">
      {texts.late(upTo)}
    </Alert>
  );
}

function Filling({ progress, upTo, hasBegun }: { progress: number; upTo: string; hasBegun: boolean }) {
  return (
    <Alert color="brand" variant="light" role="status" title={`${texts.filling} · ${formatShare(progress)}`}>
      <Stack gap="xs">
        <Text size="sm">{hasBegun ? texts.fillingHint(upTo) : texts.fillingStarts}</Text>
        <Progress value={100 * progress} aria-label={texts.progress} />
      </Stack>
    </Alert>
  );
}
