/** Creates many links from pasted lines or a CSV file: preview, progress, and refused lines to retry. */
import { Button, Group, Stack, Text, Textarea, Progress } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useDeferredValue, useMemo, useRef, useState } from "react";

import type { BulkResult } from "../../../core/contract/bulk-links.ts";
import { fileText, requireImportSize } from "../../../core/imports/read-export.ts";
import { UnreadableFileError } from "../../../core/imports/source-link.ts";
import { piecesOf } from "../../../core/links/bulk-pieces.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { type ApiClient, queryClient, unwrap, useApi } from "../../api/client.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { newIdempotencyKey, type Wait, withRetries } from "../../api/waits.ts";
import { PlainButton, WaitHint } from "../../components/buttons.tsx";
import { CardTable, clamped } from "../../components/card-table.tsx";
import { CancelButton, FormDraft, FormModal } from "../../components/form.tsx";
import { FilePicker } from "../../components/inputs.tsx";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { RefusedList, ScrollRegion } from "../../components/refused-list.tsx";
import { useDraft, useDraftPlace } from "../../components/use-draft.ts";
import { csvFile } from "../../files/csv.ts";
import { downloadFile } from "../../files/download.ts";
import { icon } from "../../icons.tsx";
import { bulkCreateTexts as texts } from "../../texts/bulk.ts";
import { buttonTexts } from "../../texts/shell.ts";
import classes from "./bulk-create.module.css";
import {
  BULK_LINES_MAX,
  type BulkChunk,
  type BulkLine,
  countLinks,
  CSV_COLUMNS,
  type LineOutcome,
  parseBulkLines,
  resultsCsv,
  toCreateLink,
} from "./bulk-csv.ts";

interface BulkCreateProps {
  /** The pasted lines. */
  text: string;
  onClose: () => void;
}

export default function BulkCreate({ text, onClose }: BulkCreateProps) {
  const { mode } = useApi();
  const run = useBulkRun();
  useLeavingGuard(run.isRunning, texts.leaving);
  const isPhone = useMediaQuery("(max-width: 40em)", undefined, { getInitialValueInEffect: false });
  return (
    <FormModal
      onClose={onClose}
      title={texts.title[mode]}
      size="xl"
      fullScreen={isPhone}
      closeOnClickOutside={false}
      closeOnEscape={!run.isRunning}
      withCloseButton={!run.isRunning}
    >
      {run.total === 0 ? (
        <BulkLinesForm initialText={text} onStart={run.start} />
      ) : (
        <BulkResults run={run} onClose={onClose} />
      )}
    </FormModal>
  );
}

/** The names of columns are in the first line that is not empty. */
const HAS_PASSWORDS = /^\s*\S.*password/i;

/** Lines to create links from: typed, pasted, or read from a file. */
function BulkLinesForm({ initialText, onStart }: { initialText: string; onStart: (lines: BulkLine[]) => void }) {
  const [text, setText] = useState(initialText);
  const [fileError, setFileError] = useState<string>();
  // Parsing thousands of lines would slow down typing.
  const parsedText = useDeferredValue(text);
  const lines = useMemo(() => parseBulkLines(parsedText), [parsedText]);
  const links = useMemo(() => countLinks(lines), [lines]);
  const draft = useDraft({
    form: useDraftPlace("new-links", initialText !== ""),
    initial: { text: "" },
    values: { text },
    restore: ({ text: typed = "" }) => setText(typed),
    // Texts with a column of passwords are not stored.
    secret: HAS_PASSWORDS.test(text) ? ["text"] : [],
    restores: initialText === "",
  });
  const hasTooManyLines = lines.length > BULK_LINES_MAX;
  const readFile = async (file: File) => {
    try {
      requireImportSize(file.size);
      setText(fileText(new Uint8Array(await file.arrayBuffer())).text);
      setFileError(undefined);
    } catch (error) {
      setFileError(error instanceof UnreadableFileError ? error.message : texts.unreadableFile);
    }
  };
  return (
    <Stack>
      <FormDraft draft={draft} />
      <Textarea
        label={texts.links}
        description={texts.linksHint}
        placeholder={"https://example.com/a\nhttps://example.com/b, b"}
        minRows={4}
        maxRows={12}
        autosize
        data-autofocus
        classNames={{ input: classes.lines ?? "" }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={hasTooManyLines ? texts.tooMany(BULK_LINES_MAX) : fileError}
      />
      <FilePicker accept=".csv,.tsv,.txt,text/csv,text/plain" onFile={(file) => void readFile(file)}>
        {(props) => (
          <PlainButton w="fit-content" leftSection={icon("file-upload", 18)} {...props}>
            {texts.chooseFile}
          </PlainButton>
        )}
      </FilePicker>
      {lines.length > 0 && <BulkPreview lines={lines} links={links} />}
      <Group justify="flex-end" className={classes.buttons}>
        <CancelButton />
        <Button
          disabled={lines.length === 0 || hasTooManyLines || parsedText !== text}
          onClick={() => {
            draft.done();
            onStart(lines);
          }}
        >
          {texts.create(links)}
        </Button>
      </Group>
    </Stack>
  );
}

const PREVIEW_LINES_MAX = 50;

/** The first links found in the lines. On a phone, each is a card, because the columns do not fit. */
function BulkPreview({ lines, links }: { lines: BulkLine[]; links: number }) {
  const columns = CSV_COLUMNS.filter((column) => column === "url" || lines.some(({ link }) => link[column]));
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={500} mb={4} role="status">
        {texts.found(links, lines.length, PREVIEW_LINES_MAX)}
      </Text>
      <ScrollRegion label={texts.linksFound} mah={240}>
        <CardTable
          withTableBorder
          striped
          fz="sm"
          rows={lines.slice(0, PREVIEW_LINES_MAX)}
          keyOf={({ number }) => number}
          columns={[
            { name: texts.line, cell: ({ number }) => number },
            ...columns.map((name) => ({ name, cell: ({ link }: BulkLine) => clamped(link[name]) })),
          ]}
        />
      </ScrollRegion>
    </section>
  );
}

/** Progress of a bulk run, then its result. */

function BulkResults({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { outcomes, total, isRunning, wait } = run;
  const refused = outcomes.filter(isRefused);
  const saveResults = () => downloadFile("created-links.csv", csvFile(resultsCsv(outcomes)));
  return (
    <Stack>
      <Progress.Root size="xl">
        <Progress.Section
          value={(outcomes.length / total) * 100}
          animated={isRunning}
          aria-label={texts.linksDone}
          aria-valuetext={texts.progress(outcomes.length, total)}
        />
      </Progress.Root>
      <Text role="status">{statusText(run, refused.length)}</Text>
      <WaitHint wait={wait} />
      <RefusedList
        title={texts.refusedTitle}
        label={texts.refusedLines}
        lines={refused.map(refusalText)}
        more={texts.moreRefused}
      />
      <Group justify="flex-end">
        {isRunning ? (
          <PlainButton onClick={run.stop}>{texts.stop}</PlainButton>
        ) : (
          <>
            {(refused.length > 0 || outcomes.length < total) && (
              <PlainButton onClick={run.retry}>{outcomes.length < total ? texts.resume : texts.retry}</PlainButton>
            )}
            <PlainButton leftSection={icon("download", 18)} onClick={saveResults}>
              {texts.download}
            </PlainButton>
            <Button onClick={onClose}>{buttonTexts.done}</Button>
          </>
        )}
      </Group>
    </Stack>
  );
}

function statusText({ outcomes, total, isRunning }: BulkRun, refused: number): string {
  const created = outcomes.length - refused;
  const parts = [isRunning ? texts.progress(outcomes.length, total) : texts.created(created)];
  if (refused > 0) parts.push(texts.refused(refused));
  if (!isRunning && outcomes.length < total) parts.push(texts.notSent(total - outcomes.length));
  return parts.join(", ");
}

/** The download has the whole URL. */
const SHOWN_URL_MAX_CHARS = 120;

function refusalText({ line: { number, link }, result }: LineOutcome): string {
  const url = link.url.length > SHOWN_URL_MAX_CHARS ? `${link.url.slice(0, SHOWN_URL_MAX_CHARS)}…` : link.url;
  return `${texts.refusedLine(number, url)} ${"error" in result ? result.error : ""}`;
}

/** Creates links in chunks of one bulk request, and keeps the outcome of each line. */
function useBulkRun() {
  const { api, mode } = useApi();
  const [outcomes, setOutcomes] = useState<readonly LineOutcome[]>([]);
  const [total, setTotal] = useState(0);
  const [unsent, setUnsent] = useState<readonly BulkChunk[]>([]);
  const [wait, setWait] = useState<Wait | null>(null);
  const stopping = useRef(new AbortController());

  const refresh = () => queryClient.invalidateQueries({ queryKey: [mode, "links"] });
  const run = useAbortableMutation({
    mutationFn: async (chunks: readonly BulkChunk[], signal) => {
      for (const [i, chunk] of chunks.entries()) {
        if (stopping.current.signal.aborted) break;
        const results = await sendChunk(api, chunk, signal, stopping.current.signal, setWait);
        setOutcomes((before) => [...before, ...results].sort((a, b) => a.line.number - b.line.number));
        setUnsent(chunks.slice(i + 1));
      }
    },
    onSuccess: refresh,
    onError: refresh,
  });

  const start = (lines: readonly BulkLine[], failed: readonly BulkChunk[], succeeded: readonly LineOutcome[]) => {
    stopping.current = new AbortController();
    setOutcomes(succeeded);
    setTotal(succeeded.length + lines.length + failed.flatMap((chunk) => chunk.lines).length);
    const chunks = piecesOf(lines, ({ link }) => toCreateLink(link)).map((some) => ({
      lines: some,
      key: newIdempotencyKey(),
    }));
    setUnsent([...failed, ...chunks]);
    run.mutate([...failed, ...chunks]);
  };
  return {
    outcomes,
    /** Number of lines in this run, done or not. */
    total,
    isRunning: run.isPending,
    /** The reason and length of the wait before the next attempt; null if there is none. */
    wait,
    start: (lines: readonly BulkLine[]) => start(lines, [], []),
    /** Sends the refused lines again, and those that were not sent. */
    retry: () =>
      start(
        outcomes.filter((outcome) => isRefused(outcome) && !outcome.failed).map(({ line }) => line),
        [...new Set(outcomes.flatMap(({ failed }) => failed ?? [])), ...unsent],
        outcomes.filter((outcome) => !isRefused(outcome)),
      ),
    stop: () => stopping.current.abort(),
  };
}

type BulkRun = ReturnType<typeof useBulkRun>;

function isRefused({ result }: LineOutcome): boolean {
  return "error" in result;
}

/** @param stopped  ends the wait for another attempt */
async function sendChunk(
  api: ApiClient,
  chunk: BulkChunk,
  signal: AbortSignal,
  stopped: AbortSignal,
  onWait: (wait: Wait | null) => void,
): Promise<LineOutcome[]> {
  const json = { links: chunk.lines.map(({ link }) => toCreateLink(link)) };
  const options = { headers: { "Idempotency-Key": chunk.key }, init: { signal } };
  const send = () => unwrap(api.links.bulk.$post({ json }, options));
  try {
    const { results } = await withRetries(send, AbortSignal.any([signal, stopped]), onWait);
    return chunk.lines.map((line, i) => ({ line, result: toOutcomeResult(results[i]) }));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError && error.status === 401) throw error;
    return chunk.lines.map((line) => ({ line, result: { error: errorMessage(error) }, failed: chunk }));
  }
}

function toOutcomeResult(result: BulkResult["results"][number] | undefined): LineOutcome["result"] {
  if (!result) return { error: texts.noAnswer };
  return "link" in result ? { short_url: result.link.short_url } : { error: fullMessage(result.error) };
}

function fullMessage({ message, errors }: { message: string; errors?: { message: string }[] | undefined }): string {
  return errors ? errors.map((problem) => problem.message).join("; ") : message;
}
