/** One version in the list: when, by whom, what changed, its clicks, and what can be done with it. */
import { Badge, Button, Collapse, Group, Paper, Stack, Text } from "@mantine/core";
import { useId } from "react";

import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { formatCount } from "../../../formatting/numbers.ts";
import { IconArrowBackUp, IconChevronDown } from "../../../icons.tsx";
import { historyTexts as texts } from "../../../texts/history.ts";
import classes from "./history.module.css";
import { memberNames } from "./member-names.ts";
import { RevisionDifference } from "./revision-difference.tsx";
import type { HistoryView } from "./use-history-params.ts";
import type { Restoring } from "./use-restore-revision.tsx";

interface RevisionCardProps {
  revision: LinkRevision;
  /** The version before; undefined for the oldest that is kept. */
  before: LinkRevision | undefined;
  /** The versions that this one can be compared with. */
  known: readonly LinkRevision[];
  newest: LinkRevision;
  author: string;
  /** Null while they are not known. */
  clicks: number | null;
  view: HistoryView;
  restoring: Restoring;
}

export function RevisionCard(props: RevisionCardProps) {
  const { revision: each, before, newest, author, clicks, view, restoring } = props;
  const titleId = useId();
  const differenceId = useId();
  const isOpen = view.params.version === each.revision;
  const labels = labelsOf(isOpen, before !== undefined);
  const isComparable = props.known.length > 1;
  return (
    <Paper component="li" withBorder p="md" aria-labelledby={titleId}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} className={classes.facts}>
          <Group gap="xs">
            <Text fw={600} id={titleId}>
              {texts.version(each.revision)}
            </Text>
            {each === newest && <Badge variant="light">{texts.current}</Badge>}
            {clicks !== null && (
              <Text size="sm" c="dimmed">
                {texts.clicks(formatCount(clicks), clicks === 1)}
              </Text>
            )}
          </Group>
          <Text size="sm">{summaryOf(each, before)}</Text>
          <Text size="sm" c="dimmed">
            {formatDateTime(each.changed_at)} {author}
          </Text>
        </Stack>
        <Group gap="xs">
          {isComparable && (
            <Button
              size="xs"
              variant="default"
              aria-label={labels.long(each.revision)}
              aria-expanded={isOpen}
              aria-controls={differenceId}
              rightSection={<IconChevronDown size={14} aria-hidden className={classes.chevron} data-open={isOpen} />}
              onClick={() => view.change({ version: isOpen ? null : each.revision, against: null })}
            >
              {labels.short}
            </Button>
          )}
          {each !== newest && (
            <Button
              size="xs"
              variant="default"
              aria-label={texts.restoreOf(each.revision)}
              leftSection={<IconArrowBackUp size={14} aria-hidden />}
              disabled={restoring.isPending}
              onClick={() => restoring.ask(each, newest)}
            >
              {texts.restore}
            </Button>
          )}
        </Group>
      </Group>
      <Collapse expanded={isOpen} id={differenceId}>
        {isOpen && <RevisionDifference revision={each} before={before} known={props.known} view={view} />}
      </Collapse>
    </Paper>
  );
}

function labelsOf(isOpen: boolean, hasBefore: boolean): { short: string; long: (revision: number) => string } {
  if (isOpen) return { short: texts.hide, long: texts.hideOf };
  return hasBefore ? { short: texts.show, long: texts.showOf } : { short: texts.compare, long: texts.compareOf };
}

function summaryOf({ changed }: LinkRevision, before: LinkRevision | undefined): string {
  if (changed === null) return texts.firstKept;
  return before || changed.length > 0 ? texts.changed(memberNames(changed)) : texts.created;
}
