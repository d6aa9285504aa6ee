/** What differs between two versions, line by line: gone and new lines have a sign and a word besides their colour. */
import { Select, Stack, Text, VisuallyHidden } from "@mantine/core";

import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { historyTexts as texts } from "../../../texts/history.ts";
import classes from "./history.module.css";
import { type DifferenceLine, differencesOf, type MemberDifference } from "./differences.ts";
import type { HistoryView } from "./use-history-params.ts";

interface RevisionDifferenceProps {
  revision: LinkRevision;
  before: LinkRevision | undefined;
  known: readonly LinkRevision[];
  view: HistoryView;
}

export function RevisionDifference({ revision, before, known, view }: RevisionDifferenceProps) {
  const others = known.filter((each) => each !== revision);
  const other = others.find((each) => each.revision === view.params.against) ?? before ?? others[0];
  if (!other) return null;
  // Read from the older to the newer, whichever is open.
  const [from, to] = other.revision < revision.revision ? [other, revision] : [revision, other];
  const differences = differencesOf(from, to);
  return (
    <Stack gap="sm" pt="md">
      <Select
        size="xs"
        maw={320}
        label={texts.comparedWith}
        data={others.map((each) => ({
          value: String(each.revision),
          label: `${texts.version(each.revision)}, ${formatDateTime(each.changed_at)}`,
        }))}
        value={String(other.revision)}
        allowDeselect={false}
        onChange={(value) =>
          view.change({ version: revision.revision, against: value === null ? null : Number(value) })
        }
      />
      <Text size="sm" fw={600}>
        {texts.difference(from.revision, to.revision)}
      </Text>
      {differences.length === 0 && <Text size="sm">{texts.nothingDiffers}</Text>}
      {differences.map((difference) => (
        <Member key={difference.member} difference={difference} />
      ))}
    </Stack>
  );
}

function Member({ difference: { member, lines } }: { difference: MemberDifference }) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {texts.labels[member]}
      </Text>
      <ul className={classes.lines} aria-label={texts.labels[member]}>
        {lines.map((line, i) => (
          <Line key={i} line={line} />
        ))}
      </ul>
    </div>
  );
}

const SIGNS: Record<DifferenceLine["kind"], string> = { same: " ", removed: "−", added: "+", moved: "↕" };

function Line({ line: { kind, text } }: { line: DifferenceLine }) {
  const Tag = kind === "removed" ? "del" : kind === "added" ? "ins" : "span";
  return (
    <li className={classes.line} data-kind={kind}>
      <span aria-hidden className={classes.sign}>
        {SIGNS[kind]}
      </span>
      {kind !== "same" && <VisuallyHidden>{texts[kind]}: </VisuallyHidden>}
      <Tag className={classes.text}>{text}</Tag>
    </li>
  );
}
