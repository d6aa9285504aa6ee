/** The state of the import page: the file in its worker, the preview, the run with its progress, and the report. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { UnreadableFile } from "../../../core/imports/file-text.ts";
import type { ImportAccount, ImportOptions } from "../../../core/imports/plan-import.ts";
import type { ImportProgress, ImportReport } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/source-link.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { importTexts as texts } from "../../texts/import.ts";
import type { ApiCall, FileSummary, FromWorker, Preview, ToWorker } from "./import-messages.ts";
import { sendCall } from "./import-requests.ts";

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
