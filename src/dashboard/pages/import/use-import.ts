/**
 * The import page's worker and its tasks: read a file, preview its links, and import them. The rows that were not
 * imported, as a file.
 */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { ImportAccount, ImportOptions } from "../../../core/imports/plan-import.ts";
import type { ImportProgress, ImportReport } from "../../../core/imports/run-import.ts";
import type { FormatName } from "../../../core/imports/services.ts";
import type { UnreadableFile } from "../../../core/imports/source-link.ts";
import { errorMessage } from "../../api/api-error.ts";
import { queryClient, setSignInReason, useApi } from "../../api/client.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import type { Wait } from "../../api/waits.ts";
import { toCsv } from "../../files/csv.ts";
import { importTexts as texts } from "../../texts/import.ts";
import type { FileSummary, Preview, RunSettings, ToWorker, WorkerEvent } from "./import-worker.ts";

/** `wait`: before the next attempt of a request. */
const BEGUN = { progress: null as ImportProgress | null, wait: null as Wait | null };

/** Progress of a run. */
export type RunStatus = typeof BEGUN;

export function useImport(account: ImportAccount | null, options: ImportOptions) {
  const { mode } = useApi();
  const [status, setStatus] = useState(BEGUN);
  const [preview, setPreview] = useState<{ of: FileSummary; preview: Preview }>();
  const ask = useImportWorker((event) => {
    if (event.type === "signed_out") setSignInReason("ended");
    else setStatus((before) => ({ ...before, wait: null, ...event }));
  });
  const reading = useMutation({
    mutationFn: (chosen: { file: File; format: FormatName | null }) =>
      ask<FileSummary | UnreadableFile>({ type: "read", ...chosen }),
  });
  const refreshLinks = () => queryClient.invalidateQueries({ queryKey: [mode, "links"] });
  const running = useAbortableMutation({
    mutationFn: (settings: RunSettings, signal) => ask<ImportReport>({ type: "run", ...settings }, signal),
    onSuccess: refreshLinks,
    onError: refreshLinks,
  });

  // A failed worker has lost the file.
  const error = reading.error ?? running.error;
  const read: FileSummary | UnreadableFile | undefined = error ? { problem: errorMessage(error) } : reading.data;
  const unreadable = read && "problem" in read ? read : null;
  const summary = read && !("problem" in read) ? read : null;
  useEffect(() => {
    if (!summary || !account) return;
    void ask<Preview>({ type: "preview", options, account }).then(
      (planned) => setPreview({ of: summary, preview: planned }),
      // The next request to a failed worker reports its error.
      () => {},
    );
    // The function sends to the worker, which stays the same.
  }, [summary, account, options]);

  return {
    /** The chosen file and its chosen format; null to detect it from the content. */
    chosen: reading.variables,
    isReading: reading.isPending,
    summary,
    unreadable,
    preview: preview && preview.of === summary ? preview.preview : null,
    choose: (file: File, format: FormatName | null) => {
      running.reset();
      reading.mutate({ file, format });
    },
    status,
    /** The run or check, with its report. */
    running,
    run: (isDryRun: boolean, clicks: File | null) => {
      setStatus(BEGUN);
      if (account) running.mutate({ mode, options, account, isDryRun, clicks });
    },
    cancel: () => void ask({ type: "cancel" }),
  };
}

/** @returns a function that sends a message to the worker and waits for its reply */
function useImportWorker(onEvent: (event: WorkerEvent) => void) {
  const worker = useRef<Worker>(null);
  const end = () => {
    worker.current?.terminate();
    worker.current = null;
  };
  useEffect(() => end, []);
  const start = () => {
    const started = new Worker(new URL("./import-worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", ({ data }: MessageEvent<WorkerEvent>) => onEvent(data));
    // A worker whose script failed to load never replies: the next message starts another.
    started.addEventListener("error", end);
    return started;
  };
  return <Reply>(message: ToWorker, signal?: AbortSignal) =>
    new Promise<Reply>((resolve, reject) => {
      worker.current ??= start();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data);
      worker.current.addEventListener("error", () => reject(new Error(texts.workerFailed)));
      signal?.addEventListener("abort", () => reject(signal.reason));
      worker.current.postMessage(message, [port2]);
    });
}

/** The rows that an import refused, or whose links already exist with other values, for a spreadsheet. */
export function refusedCsv({ refused, differs }: Pick<ImportReport, "refused" | "differs">, unit: string): string {
  const rows = [
    ...refused.map(({ at, address, reason, advice }) => ({ [unit]: at, address, reason, advice })),
    ...differs.map(({ at, address, members }) => ({
      [unit]: at,
      address,
      reason: texts.existing.reason(members.join(", ")),
      advice: texts.existing.advice,
    })),
  ];
  return toCsv(rows, { columns: [unit, "address", "reason", "advice"] });
}
