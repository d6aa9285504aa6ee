/** The state of the import page: the file in its worker, the preview, the run with its progress, and the report. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { UnreadableFile } from "../../../core/imports/file-text.ts";
import type { ImportAccount, ImportOptions } from "../../../core/imports/plan-import.ts";
import { retryDelayMs } from "../../../core/retries.ts";
import type { ImportProgress, ImportReport } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/source-link.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { type ApiClient, unwrap, useApi } from "../../api/client.ts";
import { newIdempotencyKey, useAbortableMutation } from "../../api/mutations.ts";
import { sleep } from "../../api/waits.ts";
import { importTexts as texts } from "../../texts/import.ts";
import type { ApiCall, FileSummary, FromWorker, Preview, ToWorker } from "./import-messages.ts";

export interface ImportState {
  /** The chosen file; null before one is chosen. */
  file: File | null;
  isReading: boolean;
  summary: FileSummary | null;
  /** What the file was said to be; null while it is recognized by its content. */
  format: FormatName | null;
  /** What is wrong with the file. */
  unreadable: UnreadableFile | null;
  preview: Preview | null;
  isRunning: boolean;
  /** Whether the run, or the report, is that of a check. */
  isDryRun: boolean;
  progress: ImportProgress | null;
  wait: { reason: string; seconds: number } | null;
  report: ImportReport | null;
  error: unknown;
}

interface ImportActions {
  choose: (file: File, format: FormatName | null) => void;
  showPreview: (options: ImportOptions, account: ImportAccount) => void;
  run: (options: ImportOptions, account: ImportAccount, isDryRun: boolean) => void;
  cancel: () => void;
  /** Back to the settings; the file stays. */
  closeReport: () => void;
}

const EMPTY: ImportState = {
  file: null,
  isReading: false,
  summary: null,
  format: null,
  unreadable: null,
  preview: null,
  isRunning: false,
  isDryRun: false,
  progress: null,
  wait: null,
  report: null,
  error: null,
};

export function useImport(): ImportState & ImportActions {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const [state, setState] = useState(EMPTY);
  const set = (change: Partial<ImportState>) => setState((before) => ({ ...before, ...change }));
  const worker = useRef<Worker>(null);
  const onReport = useRef<(report: ImportReport) => void>(undefined);
  const cancellation = useRef<AbortController>(null);
  const onCall = useRef<(id: number, call: ApiCall) => void>(undefined);

  const startWorker = () => {
    const made = new Worker(new URL("./import-worker.ts", import.meta.url), { type: "module" });
    made.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === "file") {
        const { result } = data;
        set({ isReading: false, ...("problem" in result ? { unreadable: result } : { summary: result }) });
      } else if (data.type === "preview") set({ preview: data.preview });
      else if (data.type === "progress") set({ progress: data.progress });
      else if (data.type === "report") onReport.current?.(data.report);
      else onCall.current?.(data.id, data.call);
    });
    // One whose script was not loaded never answers: the next file gets another.
    made.addEventListener("error", () => {
      made.terminate();
      worker.current = null;
      set({ isReading: false, unreadable: { problem: texts.workerFailed } });
    });
    return made;
  };
  useEffect(
    () => () => {
      worker.current?.terminate();
      worker.current = null;
    },
    [],
  );
  const tell = (message: ToWorker) => worker.current?.postMessage(message);

  const run = useAbortableMutation({
    mutationFn: async (
      { options, account, isDryRun }: { options: ImportOptions; account: ImportAccount; isDryRun: boolean },
      signal,
    ) => {
      const { limits } = await unwrap(api.me.$get({ query: {} }, { init: { signal } }));
      let ended: ApiError | null = null;
      const cancelled = new AbortController();
      cancellation.current = cancelled;
      onCall.current = (id, call) => {
        sendCall(api, call, signal, cancelled.signal, (wait) => set({ wait })).then(
          (value) => tell({ type: "answer", id, result: { value } }),
          (error: unknown) => {
            if (error instanceof ApiError && error.status === 401) ended = error;
            tell({ type: "answer", id, result: { error: errorMessage(error) } });
          },
        );
      };
      const report = await new Promise<ImportReport>((resolve, reject) => {
        onReport.current = resolve;
        signal.addEventListener("abort", () => reject(signal.reason));
        tell({ type: "run", options, account, linksUsed: limits.links.used, isDryRun });
      });
      set({ report });
      // The dialog that asks to sign in again follows from the error; what was imported stays on the page.
      if (ended !== null) throw ended;
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: [mode, "links"] }),
    onError: () => queries.invalidateQueries({ queryKey: [mode, "links"] }),
  });

  return {
    ...state,
    isRunning: run.isPending,
    error: state.report ? null : run.error,
    choose: (file, format) => {
      worker.current ??= startWorker();
      setState({ ...EMPTY, file, format, isReading: true });
      tell({ type: "read", file, format });
    },
    showPreview: (options, account) => tell({ type: "preview", options, account }),
    run: (options, account, isDryRun) => {
      set({ report: null, progress: null, wait: null, isDryRun });
      run.mutate({ options, account, isDryRun });
    },
    cancel: () => {
      tell({ type: "cancel" });
      cancellation.current?.abort();
    },
    closeReport: () => set({ report: null }),
  };
}

/**
 * Sends a request of the worker under the session, and repeats it until it is answered or refused.
 * @param cancelled  ends waits, not requests: one that was sent may have been carried out
 * @param onWait  told before each wait, with its reason and length; null when it is over
 * @throws ApiError where the request has failed for good
 */
async function sendCall(
  api: ApiClient,
  call: ApiCall,
  signal: AbortSignal,
  cancelled: AbortSignal,
  onWait: (wait: { reason: string; seconds: number } | null) => void,
): Promise<unknown> {
  const idempotencyKey = newIdempotencyKey();
  for (let attempts = 1; ; attempts++) {
    try {
      const value = await send(api, call, idempotencyKey, signal);
      if (attempts > 1) onWait(null);
      return value;
    } catch (error) {
      signal.throwIfAborted();
      const delayMs = error instanceof ApiError ? retryDelayMs(error, attempts, Math.random()) : null;
      if (delayMs === null) throw error;
      onWait({ reason: errorMessage(error), seconds: Math.ceil(delayMs / 1_000) });
      const ended = AbortSignal.any([signal, cancelled]);
      await sleep(delayMs, ended);
      ended.throwIfAborted();
    }
  }
}

/** All attempts share one `Idempotency-Key`: links whose response was lost are not created twice. */
function send(api: ApiClient, call: ApiCall, idempotencyKey: string, signal: AbortSignal): Promise<unknown> {
  const options = { headers: { "Idempotency-Key": idempotencyKey }, init: { signal } };
  if (call.method === "listLinks") return unwrap(api.links.$get({ query: call.argument }, { init: { signal } }));
  if (call.method === "createLinks") return unwrap(api.links.bulk.$post({ json: { links: call.argument } }, options));
  return unwrap(api.links["bulk-update"].$post({ json: { links: call.argument } }, options));
}
