/** The numbered changes below the chart of a link. */
import { Group, Text } from "@mantine/core";

import { formatDateTime } from "../../../formatting/dates.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { useRevisions } from "../history/use-revisions.ts";
import { type Annotation, changesIn } from "./annotations.ts";
import classes from "./series-card.module.css";
import type { StatsSubject } from "./stats-subject.ts";

/** The latest changes of a link; none for all links. The chart is complete without them, so errors are not shown. */
export function useAnnotations({ link }: StatsSubject): Annotation[] {
  const { data } = useRevisions(link?.id ?? null);
  return data ? changesIn(data.pages.flatMap((page) => page.data)) : [];
}

export function AnnotationList({ annotations, zone }: { annotations: readonly Annotation[]; zone: string }) {
  if (annotations.length === 0) return null;
  return (
    <ol className={classes.annotations} aria-label={texts.annotations}>
      {annotations.map(({ at, text }, index) => (
        <Group component="li" key={`${at} ${text}`} gap="xs" wrap="nowrap" align="baseline">
          <Text size="xs" c="dimmed">
            {index + 1}
          </Text>
          <Text size="xs">{text}</Text>
          <Text size="xs" c="dimmed" component="time" dateTime={at}>
            {formatDateTime(at, zone)}
          </Text>
        </Group>
      ))}
    </ol>
  );
}
