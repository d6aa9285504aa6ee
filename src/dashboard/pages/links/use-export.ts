/**
 * Reads all links that match, page after page, into a file. A failure keeps what was read: going on continues from there.
 */
import { useEffect, useRef, useState } from "react";

import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { ApiError, isRetryable } from "../../api/api-error.ts";
import { type ApiClient, unwrap, useApi } from "../../api/client.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { sleep } from "../../api/waits.ts";
import { downloadFile } from "../../files/download.ts";
import { csvPart, exportFile, type ExportFormat, jsonPart } from "./export-rows.ts";
import { linksQuery, type LinksView } from "./links-view.ts";

const ATTEMPTS_MAX = 4;
const RETRY_DEFAULT_SECONDS = 3;

interface Progress {
  format: ExportFormat;
  parts: string[];
  /** Links read so far. */
  count: number;
  /** Null: not begun, or all is read. */
  cursor: string | null;
}

export interface LinksExport {
  count: number;
  isRunning: boolean;
  isDone: boolean;
  error: unknown;
  start: (format: ExportFormat) => void;
  /** Continues after a failure. */
  goOn: () => void;
}

export function useExport(view: Pick<LinksView, "filters" | "sort">): LinksExport {
  const { api } = useApi();
  const [count, setCount] = useState(0);
  const progress = useRef<Progress>(null);
  const abort = useRef<AbortController>(null);
  // Closing the dialog cancels.
  useEffect(() => () => abort.current?.abort(), []);

  const run = useSingleMutation({
    mutationFn: async (current: Progress) => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      do {
        const page = await readPage(api, view, current.cursor, signal);
        const part = current.format === "csv" ? csvPart : jsonPart;
        current.parts.push(part(page.data, current.count === 0));
        current.count += page.data.length;
        current.cursor = page.next_cursor;
        setCount(current.count);
      } while (current.cursor !== null);
      downloadFile(`links.${current.format}`, exportFile(current.format, current.parts));
    },
  });
  const runFrom = (from: Progress) => {
    progress.current = from;
    run.mutate(from);
  };
  return {
    count,
    isRunning: run.isPending,
    isDone: run.isSuccess,
    error: run.error,
    start: (format) => runFrom({ format, parts: [], count: 0, cursor: null }),
    goOn: () => progress.current && runFrom(progress.current),
  };
}

/** Waits where the API asks for it: a large account has more pages than requests a minute. */
async function readPage(
  api: ApiClient,
  view: Pick<LinksView, "filters" | "sort">,
  cursor: string | null,
  signal: AbortSignal,
) {
  const query = { ...linksQuery(view), limit: String(PAGE_LINKS_MAX), ...(cursor === null ? {} : { cursor }) };
  for (let attempt = 1; ; attempt++) {
    try {
      return await unwrap(api.links.$get({ query }, { init: { signal } }));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError) || !isRetryable(error) || attempt === ATTEMPTS_MAX) throw error;
      await sleep((error.retryAfter ?? RETRY_DEFAULT_SECONDS) * 1_000, signal);
      signal.throwIfAborted();
    }
  }
}
