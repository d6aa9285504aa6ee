/** Creates links in chunks of one bulk request, and keeps the outcome of each line. */
import { useRef, useState } from "react";

import type { BulkResult } from "../../../core/contract/bulk-links.ts";
import { piecesOf } from "../../../core/links/bulk-pieces.ts";
import { newIdempotencyKey, useAbortableMutation } from "../../api/mutations.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { type ApiClient, queryClient, unwrap, useApi } from "../../api/client.ts";
import { bulkCreateTexts } from "../../texts/bulk.ts";
import { type Wait, withRetries } from "../../api/waits.ts";
import { type BulkChunk, type BulkLine, type LineOutcome, toCreateLink } from "./bulk-csv.ts";

export function useBulkRun() {
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

export type BulkRun = ReturnType<typeof useBulkRun>;

export function isRefused({ result }: LineOutcome): boolean {
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
  if (!result) return { error: bulkCreateTexts.noAnswer };
  return "link" in result ? { short_url: result.link.short_url } : { error: fullMessage(result.error) };
}

function fullMessage({ message, errors }: { message: string; errors?: { message: string }[] | undefined }): string {
  return errors ? errors.map((problem) => problem.message).join("; ") : message;
}
