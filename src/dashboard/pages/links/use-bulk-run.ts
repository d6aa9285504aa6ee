/** Creates links in chunks of one bulk request, and keeps the outcome of each line. */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import type { BulkResult } from "../../../core/contract/bulk-links.ts";
import { BULK_LINKS_MAX } from "../../../core/limits.ts";
import { newIdempotencyKey, useAbortableMutation } from "../../api/mutations.ts";
import { ApiError, errorMessage, isRetryable } from "../../api/api-error.ts";
import { unwrap, type ApiClient, useApi } from "../../api/client.ts";
import { bulkCreateTexts } from "../../texts/bulk.ts";
import { sleep } from "../../api/waits.ts";
import { splitIntoChunks, type BulkLine, type BulkOutcome, toCreateLink } from "./bulk-csv.ts";

/** Per chunk, including retries after a lost response, a 429 or a 5xx. */
const ATTEMPTS_MAX = 4;
const RETRY_DEFAULT_SECONDS = 3;
/** A limit per minute lets the next chunk in within one; one per day is told. */
const RETRY_MAX_SECONDS = 60;

export interface BulkRun {
  outcomes: readonly BulkOutcome[];
  /** Number of lines in this run, done or not. */
  total: number;
  isRunning: boolean;
  /** Why the next attempt waits, and for how long; null when none does. */
  wait: Wait | null;
  start: (lines: readonly BulkLine[]) => void;
  /** Sends the refused lines again. */
  retry: () => void;
  stop: () => void;
}

interface Wait {
  reason: string;
  seconds: number;
}

export function useBulkRun(): BulkRun {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly BulkOutcome[]>([]);
  const [total, setTotal] = useState(0);
  const [wait, setWait] = useState<Wait | null>(null);
  const stopping = useRef(new AbortController());

  const refresh = () => queries.invalidateQueries({ queryKey: [mode, "links"] });
  const run = useAbortableMutation({
    mutationFn: async (lines: readonly BulkLine[], signal) => {
      for (const chunk of splitIntoChunks(lines, BULK_LINKS_MAX)) {
        if (stopping.current.signal.aborted) break;
        const results = await sendChunk(api, chunk, signal, stopping.current.signal, setWait);
        setOutcomes((before) => [...before, ...results].sort((a, b) => a.line.number - b.line.number));
      }
    },
    onSuccess: refresh,
    onError: refresh,
  });

  const start = (lines: readonly BulkLine[], succeeded: readonly BulkOutcome[] = []) => {
    stopping.current = new AbortController();
    setOutcomes(succeeded);
    setTotal(succeeded.length + lines.length);
    run.mutate(lines);
  };
  return {
    outcomes,
    total,
    isRunning: run.isPending,
    wait,
    start: (lines) => start(lines),
    retry: () =>
      start(
        outcomes.filter(isRefused).map(({ line }) => line),
        outcomes.filter((outcome) => !isRefused(outcome)),
      ),
    stop: () => stopping.current.abort(),
  };
}

export function isRefused({ result }: BulkOutcome): boolean {
  return "error" in result;
}

/**
 * All attempts share one `Idempotency-Key`: a chunk whose response was lost is not created twice.
 * @param stopped  ends the wait for another attempt
 */
async function sendChunk(
  api: ApiClient,
  chunk: readonly BulkLine[],
  signal: AbortSignal,
  stopped: AbortSignal,
  onWait: (wait: Wait | null) => void,
): Promise<BulkOutcome[]> {
  const idempotencyKey = newIdempotencyKey();
  for (let attempt = 1; ; attempt++) {
    try {
      const { results } = await unwrap(
        api.links.bulk.$post(
          { json: { links: chunk.map(({ link }) => toCreateLink(link)) } },
          { headers: { "Idempotency-Key": idempotencyKey }, init: { signal } },
        ),
      );
      return chunk.map((line, i) => ({ line, result: toOutcomeResult(results[i]) }));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && error.status === 401) throw error;
      const waitSeconds = retrySeconds(error);
      const reason = errorMessage(error);
      const refused = () => chunk.map((line) => ({ line, result: { error: reason } }));
      if (waitSeconds === null || attempt === ATTEMPTS_MAX) return refused();
      onWait({ reason, seconds: waitSeconds });
      await sleep(waitSeconds * 1_000, AbortSignal.any([signal, stopped]));
      onWait(null);
      signal.throwIfAborted();
      if (stopped.aborted) return refused();
    }
  }
}

/** Null: trying again does not help. Offline is told at once. */
function retrySeconds(error: unknown): number | null {
  if (!navigator.onLine || !(error instanceof ApiError) || !isRetryable(error)) return null;
  const seconds = error.retryAfter ?? RETRY_DEFAULT_SECONDS;
  return seconds > RETRY_MAX_SECONDS ? null : seconds;
}

function toOutcomeResult(result: BulkResult["results"][number] | undefined): BulkOutcome["result"] {
  if (!result) return { error: bulkCreateTexts.noAnswer };
  return "link" in result ? { short_url: result.link.short_url } : { error: fullMessage(result.error) };
}

function fullMessage({ message, errors }: { message: string; errors?: { message: string }[] | undefined }): string {
  return errors ? errors.map((problem) => problem.message).join("; ") : message;
}
