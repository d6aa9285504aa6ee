/** Sends many links, a hundred at a time, and keeps count. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import type { BulkResult } from "../../../core/contract/contract.ts";
import { BULK_LINKS_MAX } from "../../../core/limits.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { answer, type Client, useApi } from "../../api/client.ts";
import { chunksOf, type Line, type Outcome } from "./bulk-lines.ts";

/** How often a chunk is sent again when nothing answers or the service asks to wait. */
const TRIES = 4;
const RETRY_SECONDS = 3;

export interface BulkRun {
  outcomes: readonly Outcome[];
  /** Lines that are being worked on, done or not. */
  total: number;
  isRunning: boolean;
  start: (lines: readonly Line[]) => void;
  /** Sends the lines again that were refused. */
  retry: () => void;
  stop: () => void;
}

export function useBulkRun(): BulkRun {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [total, setTotal] = useState(0);
  const stopped = useRef(false);

  const run = useMutation({
    mutationFn: async (lines: readonly Line[]) => {
      for (const chunk of chunksOf(lines, BULK_LINKS_MAX)) {
        if (stopped.current) break;
        const results = await sendChunk(api, chunk);
        setOutcomes((before) => [...before, ...results].sort((a, b) => a.line.number - b.line.number));
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [mode, "links"] }),
  });

  const start = (lines: readonly Line[], kept: readonly Outcome[] = []) => {
    stopped.current = false;
    setOutcomes(kept);
    setTotal(kept.length + lines.length);
    run.mutate(lines);
  };
  return {
    outcomes,
    total,
    isRunning: run.isPending,
    start: (lines) => start(lines),
    retry: () =>
      start(
        outcomes.filter(isRefused).map(({ line }) => line),
        outcomes.filter((outcome) => !isRefused(outcome)),
      ),
    stop: () => {
      stopped.current = true;
    },
  };
}

export function isRefused({ result }: Outcome): boolean {
  return "error" in result;
}

/** Sent again under the same key, a chunk that was made although its answer got lost is not made twice. */
async function sendChunk(api: Client, chunk: readonly Line[]): Promise<Outcome[]> {
  const key = crypto.randomUUID();
  for (let tried = 1; ; tried++) {
    try {
      const { results } = await answer(
        api.links.bulk.$post(
          { json: { links: chunk.map(({ wanted }) => wanted) } },
          { headers: { "Idempotency-Key": key } },
        ),
      );
      return chunk.map((line, i) => ({ line, result: resultOf(results[i]) }));
    } catch (error) {
      const wait = error instanceof ApiError && mayPass(error) ? (error.retryAfter ?? RETRY_SECONDS) : null;
      if (error instanceof ApiError && error.status === 401) throw error;
      if (wait === null || tried === TRIES) return chunk.map((line) => ({ line, result: { error: messageOf(error) } }));
      await new Promise((done) => setTimeout(done, wait * 1_000));
    }
  }
}

function mayPass({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function resultOf(result: BulkResult["results"][number] | undefined): Outcome["result"] {
  if (!result) return { error: "The server did not answer for this line" };
  return "link" in result ? { short_url: result.link.short_url } : { error: wordsOf(result.error) };
}

function wordsOf({ message, errors }: { message: string; errors?: { message: string }[] | undefined }): string {
  return errors ? errors.map((problem) => problem.message).join("; ") : message;
}
