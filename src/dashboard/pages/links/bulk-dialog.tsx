/** Frame of the dialogs that change the selected links: the form, progress, the refused links, and the buttons. */
import { Alert, Progress, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";

import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { BULK_LINKS_MAX } from "../../../core/limits.ts";
import { piecesOf } from "../../../core/links/bulk-pieces.ts";
import { errorMessage } from "../../api/api-error.ts";
import { type ApiClient, queryClient, unwrap, useApi } from "../../api/client.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { isRateLimited, newIdempotencyKey, type Wait, withRetries } from "../../api/waits.ts";
import { FormButtons, FormDraft, FormModal } from "../../components/form.tsx";
import { Hint, WaitHint } from "../../components/buttons.tsx";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { RefusedList } from "../../components/refused-list.tsx";
import type { Draft } from "../../components/use-draft.ts";
import { linkName } from "../../formatting/hosts.ts";
import { notifySuccess } from "../../notifications.ts";
import { bulkActionTexts as texts } from "../../texts/links.ts";
import { buttonTexts } from "../../texts/shell.ts";

export interface BulkDialogProps {
  /** A stable list of the links, as last fetched. */
  links: readonly Link[];
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

interface BulkDialogFrameProps extends BulkDialogProps {
  title: string;
  submitLabel?: string;
  submitProps?: { color: string };
  size?: string;
  /** Null until the form is filled in. */
  request: BulkRequest | null;
  /** @param count  of the changed links */
  doneMessage?: (count: number) => string;
  draft?: Draft;
  /** Sends the request immediately, and opens only if it fails or links are refused. */
  isImmediate?: boolean;
  children: ReactNode;
}

export function BulkDialog(props: BulkDialogFrameProps) {
  const { links, onSelect, onClose, request, isImmediate = false } = props;
  const { submitLabel = buttonTexts.save, doneMessage = texts.changed } = props;
  const [isOpen, { open }] = useDisclosure(!isImmediate);
  const [refusedIds, setRefusedIds] = useState<ReadonlySet<string>>();
  const remaining = refusedIds ? links.filter(({ id }) => refusedIds.has(id)) : links;
  const change = useBulkChange((changed, refused) => {
    onSelect(refused);
    if (changed > 0) notifySuccess(doneMessage(changed));
    if (refused.length > 0) return setRefusedIds(new Set(refused));
    props.draft?.done();
    onClose();
  });
  const begin = useEffectEvent(() => request && change.run(links, request));
  useEffect(() => {
    if (!isImmediate) return;
    const timer = setTimeout(begin);
    return () => clearTimeout(timer);
  }, [isImmediate]);
  const isLong = change.progress.total > STEP_LINKS;
  const isUnderWay = change.isPending && isLong;
  useLeavingGuard(isUnderWay, texts.leaving);
  if (!isOpen && (change.error || change.refused.length > 0 || isLong || change.wait)) open();
  return (
    <FormModal
      opened={isOpen}
      onClose={() => change.stop() || onClose()}
      title={props.title}
      size={props.size ?? "md"}
      closeOnClickOutside={!change.isPending}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (change.error) change.resume();
          else if (request) change.run(remaining, request);
        }}
      >
        <Stack>
          {props.draft && !change.isPending && <FormDraft draft={props.draft} />}
          {props.children}
          {isUnderWay && <BulkProgress {...change.progress} />}
          <WaitHint wait={change.wait} />
          {change.error && <Alert color="red">{errorMessage(change.error)}</Alert>}
          {change.unsent > 0 && <Alert color="orange">{texts.stopped(change.unsent)}</Alert>}
          {!change.error && (
            <RefusedList
              title={texts.refused(change.refused.length)}
              label={texts.refusedLinks}
              lines={change.refused.map(({ link, message }) => `${linkName(link)}: ${message}`)}
            />
          )}
          <FormButtons
            cancel={refusedIds && buttonTexts.close}
            submit={refusedIds || change.error ? buttonTexts.tryAgain : submitLabel}
            isPending={change.isPending}
            disabled={request === null && !change.error}
            {...props.submitProps}
          />
        </Stack>
      </form>
    </FormModal>
  );
}

function BulkProgress({ done, total }: { done: number; total: number }) {
  const text = texts.progress(done, total);
  return (
    <div role="status">
      <Hint mb={4}>{text}</Hint>
      <Progress value={(100 * done) / total} aria-label={text} />
    </div>
  );
}

export type BulkRequest =
  | { kind: "delete"; erase: boolean }
  | { kind: "hand_over" }
  /** Null leaves a link as it is. */
  | { kind: "update"; changes: (link: Link) => LinkChanges | null };

type LinkChanges = UpdateLink & Pick<Link, "revision">;

/** For a member that is replaced as a whole: a value that is newer than the row must not be overwritten. */
export function expectedRevision({ revision }: Link): Pick<Link, "revision"> {
  return revision === undefined ? {} : { revision };
}

interface RefusedLink {
  link: Link;
  message: string;
}

/** Links of one request: few enough to show progress. More than a page take larger steps, for the limit on requests. */
const STEP_LINKS = 25;

type BulkRun = ReturnType<typeof newRun>;

function newRun(links: readonly Link[], request: BulkRequest) {
  const items = links.flatMap((link) => {
    const changes = request.kind === "update" ? request.changes(link) : {};
    return changes ? [{ link, body: { id: link.id, ...changes } }] : [];
  });
  const size = items.length > BULK_LINKS_MAX ? BULK_LINKS_MAX : STEP_LINKS;
  const steps = Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    piecesOf(items.slice(i * size, (i + 1) * size), ({ body }) => body),
  ).flat();
  return {
    request,
    total: items.length,
    /** Requests without a response so far. Sent again with the same key, one is not carried out twice. */
    steps: steps.map((some) => ({ items: some, key: newIdempotencyKey() })),
    refused: [] as RefusedLink[],
  };
}

/**
 * Changes or deletes the selected links, some at a time, and keeps the reasons for refused ones.
 * @param onDone  called with the number of changed links, and the ids of the refused ones and of those not sent
 */
function useBulkChange(onDone: (changed: number, unchangedIds: readonly string[]) => void) {
  const { api, mode } = useApi();
  const [refused, setRefused] = useState<readonly RefusedLink[]>([]);
  const [progress, setProgress] = useState({ done: 0, total: 0 });
  const [unsent, setUnsent] = useState(0);
  const [wait, setWait] = useState<Wait | null>(null);
  const latest = useRef<BulkRun>(null);
  const stopping = useRef(new AbortController());
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: [mode, "links"] });
    void queryClient.invalidateQueries({ queryKey: [mode, "link"] });
  };
  const change = useAbortableMutation({
    mutationFn: async (run: BulkRun, signal) => {
      setRefused([]);
      setUnsent(0);
      const { signal: stopped } = (stopping.current = new AbortController());
      for (let step = run.steps[0]; step && !stopped.aborted; step = run.steps[0]) {
        const left = run.steps.reduce((sum, { items }) => sum + items.length, 0);
        setProgress({ done: run.total - left, total: run.total });
        const ask = () => send(api, step, run.request, signal);
        const answered = withRetries(ask, AbortSignal.any([signal, stopped]), setWait, isRateLimited);
        const results = await answered.catch((error: unknown) => {
          if (!stopped.aborted || !isRateLimited(error)) throw error;
        });
        if (!results) break;
        run.refused.push(...step.items.flatMap(({ link }, i) => refusalOf(link, results[i])));
        run.steps.shift();
      }
    },
    onSuccess: (_, run) => {
      const left = run.steps.flatMap(({ items }) => items);
      setRefused(run.refused);
      setUnsent(left.length);
      refresh();
      const unchanged = [...run.refused, ...left].map(({ link }) => link.id);
      onDone(run.total - unchanged.length, unchanged);
    },
    // If the response was lost, the links may have changed.
    onError: refresh,
  });
  const start = (run: BulkRun) => {
    latest.current = run;
    change.mutate(run);
  };
  return {
    run: (links: readonly Link[], request: BulkRequest) => start(newRun(links, request)),
    /** Continues after an error, with the same requests. */
    resume: () => latest.current && start(latest.current),
    /** Ends a run that waits, or one of several requests after the current one. @returns whether it was not stopped yet */
    stop: () => {
      const isLong = progress.total > STEP_LINKS || wait !== null;
      const canStop = change.isPending && isLong && !stopping.current.signal.aborted;
      if (canStop) stopping.current.abort();
      return canStop;
    },
    /** Links that were not sent because the run was stopped. */
    unsent,
    isPending: change.isPending,
    progress,
    /** The rate limit that the run waits for, and how long. */
    wait,
    /** A request failed as a whole: either it changed nothing, or the response was lost. */
    error: change.error,
    refused,
  };
}

type ItemResult = { error?: { message: string; errors?: { message: string }[] | undefined } };

async function send(
  api: ApiClient,
  { items, key }: BulkRun["steps"][number],
  request: BulkRequest,
  signal: AbortSignal,
): Promise<ItemResult[]> {
  const options = { headers: { "Idempotency-Key": key }, init: { signal } };
  const links = items.map(({ body }) => body);
  const pending =
    request.kind === "hand_over"
      ? unwrap(api.links["hand-over"].$post({ json: { links } }, options))
      : request.kind === "delete"
        ? unwrap(api.links["bulk-delete"].$post({ json: { links, erase: request.erase } }, options))
        : unwrap(api.links["bulk-update"].$post({ json: { links } }, options));
  return (await pending).results as ItemResult[];
}

function refusalOf(link: Link, result: ItemResult | undefined): RefusedLink[] {
  if (result && !result.error) return [];
  const problems = result?.error?.errors?.map(({ message }) => message).join("; ");
  return [{ link, message: problems || result?.error?.message || texts.noAnswer }];
}
