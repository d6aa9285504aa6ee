/** Progress of an import or a check, then its report. */
import { Alert, Button, Group, Progress, Stack, Table, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";

import type { ImportReport } from "../../../core/imports/run-import.ts";
import { IMPORT_REMAINING_MAX } from "../../../core/limits.ts";
import { hasCode } from "../../api/api-error.ts";
import { useApi, unwrap } from "../../api/client.ts";
import { withRetries } from "../../api/waits.ts";
import { Hint, PlainButton, SmallButton } from "../../components/buttons.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { RefusedList } from "../../components/refused-list.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import { importTexts as texts } from "../../texts/import.ts";
import { errorTexts } from "../../texts/shell.ts";
import { csvFile } from "../../files/csv.ts";
import { downloadFile } from "../../files/download.ts";
import { refusedCsv, type RunStatus } from "./use-import.ts";

/** The button that was pressed has disappeared with its form: the keyboard continues in a part with these properties. */
const FOCUSED = {
  ref: (part: HTMLElement | null) => part?.focus({ preventScroll: true }),
  tabIndex: -1,
  style: { outline: "none" },
};

interface ImportStatusProps {
  status: RunStatus;
  isDryRun: boolean;
  onCancel: () => void;
}

export function ImportStatus({ status: { progress, wait }, isDryRun, onCancel }: ImportStatusProps) {
  const { phase = "compare", done = 0, total = 0 } = progress ?? {};
  const text = texts.progress[phase](done, total);
  return (
    <Stack>
      <Progress.Root size="xl">
        <Progress.Section
          value={total > 0 ? (done / total) * 100 : 0}
          animated
          aria-label={isDryRun ? texts.checking : texts.importing}
          aria-valuetext={text}
        />
      </Progress.Root>
      <Text role="status" {...FOCUSED}>
        {wait ? errorTexts.waiting(wait.reason, wait.seconds) : text}
      </Text>
      <Group justify="flex-end">
        <PlainButton onClick={onCancel}>{texts.cancel}</PlainButton>
      </Group>
    </Stack>
  );
}

interface ImportResultProps {
  report: ImportReport;
  isDryRun: boolean;
  unit: "line" | "entry";
  onBack: () => void;
  /** Imports the checked links, or resumes where the import stopped. */
  onImport: () => void;
}

export function ImportResult({ report, isDryRun, unit, onBack, onImport }: ImportResultProps) {
  const { refused, differs, withoutPassword, history, stopped, notSent } = report;
  const undo = useUndo();
  const toSend = isDryRun ? report.created + report.updated : notSent;
  const rowName = ({ at, address }: { at: number; address: string }) =>
    texts.refusedRow(texts.place[unit], at, address);
  const withReason = (row: (typeof refused)[number]) => `${rowName(row)} ${row.reason} ${row.advice}`;
  const list = (title: string, lines: readonly string[] = []) => (
    <RefusedList color="orange" title={title} lines={lines} more={texts.more} />
  );
  const save = () => downloadFile("refused-links.csv", csvFile(refusedCsv(report, unit)));
  return (
    <Stack>
      <div {...FOCUSED}>
        {stopped !== null ? (
          <Alert color="red" title={texts.stopped}>
            {texts.stoppedHint(stopped, notSent)}
          </Alert>
        ) : (
          <Text fw={500} role="status">
            {isDryRun ? texts.checkDone : texts.done}
          </Text>
        )}
      </div>
      <Totals report={report} isDryRun={isDryRun} />
      {list(texts.refused, refused.map(withReason))}
      {list(`${texts.withoutPassword}. ${texts.withoutPasswordHint}`, withoutPassword.map(rowName))}
      {list(texts.withoutClicks, history?.refused.map(withReason))}
      {history && <Hint>{texts.history(history)}</Hint>}
      {history && history.links > 0 && !isDryRun && <Undo history={history} undo={undo} />}
      {list(
        `${texts.differs}. ${texts.differsHint}`,
        differs.map((row) => `${rowName(row)} ${texts.differsIn(row.members.join(", "))}`),
      )}
      <Group justify="flex-end">
        {refused.length + differs.length > 0 && (
          <PlainButton leftSection={icon("download", 18)} onClick={save}>
            {texts.download}
          </PlainButton>
        )}
        <PlainButton onClick={onBack} disabled={undo.isPending}>
          {texts.back}
        </PlainButton>
        {toSend > 0 ? (
          <Button onClick={onImport} disabled={undo.isPending}>
            {texts.start(toSend)}
          </Button>
        ) : (
          <Button component={Link} href="/links">
            {texts.toLinks}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

type Undoable = { history: NonNullable<ImportReport["history"]>; undo: ReturnType<typeof useUndo> };

/** Each request undoes some links. Continues after the page is left. */
function useUndo() {
  const { api, mode } = useApi();
  /** Links that the last request has left. */
  const [left, setLeft] = useState<number>();
  const undoSome = async (id: string) => {
    const request = () => unwrap(api.imports[":id"].$delete({ param: { id } }));
    const { remaining } = await withRetries(request, new AbortController().signal).catch((error: unknown) => {
      // An attempt whose response was lost has undone the last links.
      if (hasCode(error, "import_not_found")) return { remaining: 0 };
      throw error;
    });
    setLeft(remaining);
    return remaining;
  };
  const undoAll = async (id: string) => {
    while ((await undoSome(id)) > 0);
  };
  return { ...useRemoval({ remove: undoAll, refreshed: [mode], texts: texts.undo }), left };
}

function Undo({ history: { id, clicks }, undo: { ask, isPending, left } }: Undoable) {
  if (left === 0) {
    return (
      <Text size="sm" {...FOCUSED}>
        {texts.undo.undone}
      </Text>
    );
  }
  return (
    <Group>
      <SmallButton loading={isPending} onClick={() => ask(id, texts.undo.clicks(clicks))}>
        {texts.undo.start}
      </SmallButton>
      <Hint role="status">
        {isPending && left ? texts.undo.left(left, left === IMPORT_REMAINING_MAX) : texts.undo.command(id)}
      </Hint>
    </Group>
  );
}

function Totals({ report, isDryRun }: { report: ImportReport; isDryRun: boolean }) {
  const totals: [string, number][] = [
    [isDryRun ? texts.wouldCreate : texts.created, report.created],
    [isDryRun ? texts.wouldUpdate : texts.updated, report.updated],
    [texts.unchanged, report.unchanged],
    [texts.differs, report.differs.length],
    [texts.refused, report.refused.length],
  ];
  return (
    <Table withTableBorder maw="24rem">
      <Table.Tbody>
        {totals.map(([name, count]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400}>
              {name}
            </Table.Th>
            <Table.Td ta="right">{formatCount(count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
