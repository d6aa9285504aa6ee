/** Restores a version of a link after a confirmation. Undoing that restores the version before. */
import { Stack, Text } from "@mantine/core";

import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import { SmallButton } from "../../../components/buttons.tsx";
import { changedMembers, REVISION_MEMBERS } from "../../../../core/links/link-members.ts";
import { ApiError, errorMessage, hasCode } from "../../../api/api-error.ts";
import { queryClient, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { askToConfirm } from "../../../notifications.ts";
import { Notice } from "../../../components/states.tsx";
import { historyTexts as texts } from "../../../texts/history.ts";
import { buttonTexts } from "../../../texts/shell.ts";
import { type LinkWithEtag, unwrapLink } from "../use-link.ts";
import { memberNames } from "./differences.ts";
import { revisionsKey } from "./use-revisions.ts";

interface Request {
  revision: number;
  /** The version that it replaces. */
  replaced: number;
  etag: string;
}

export function useRestoreRevision({ link, etag }: LinkWithEtag) {
  const { api, mode } = useApi();
  const restore = useSingleMutation({
    mutationFn: ({ revision, etag: expected }: Request) =>
      unwrapLink(
        api.links[":id"].revisions[":revision"].restore.$post(
          { param: { id: link.id, revision: String(revision) }, json: {} },
          { headers: { "If-Match": expected } },
        ),
      ),
    onSuccess: (updated) => {
      queryClient.setQueryData([mode, "link", link.id], updated);
      void queryClient.invalidateQueries({ queryKey: [mode, "links"] });
    },
    // Also after a conflict: the list and the link are then outdated.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: [mode, "link", link.id] });
      return queryClient.invalidateQueries({ queryKey: revisionsKey(mode, link.id) });
    },
  });
  const { variables, data, isSuccess, error } = restore;
  return {
    /** Asks for confirmation first. */
    ask: (wanted: LinkRevision, now: LinkRevision) =>
      askToConfirm({
        title: texts.confirmTitle(wanted.revision),
        children: <Question wanted={wanted} now={now} />,
        labels: { confirm: texts.restore, cancel: buttonTexts.cancel },
        onConfirm: () => restore.mutate({ revision: wanted.revision, replaced: now.revision, etag }),
      }),
    /** Restores the version that `restored` has replaced, unless the link was changed since. */
    undo: () =>
      isSuccess && restore.mutate({ revision: variables.replaced, replaced: variables.revision, etag: data.etag }),
    /** The restored version, until it is dismissed. */
    restored: isSuccess ? variables.revision : null,
    /** The version that could not be restored, and why. */
    failure: error && variables ? { revision: variables.revision, error } : null,
    tryAgain: () => variables && restore.mutate({ ...variables, etag }),
    dismiss: restore.reset,
    isPending: restore.isPending,
  };
}

export type Restoring = ReturnType<typeof useRestoreRevision>;

function Question({ wanted, now }: { wanted: LinkRevision; now: LinkRevision }) {
  const members = changedMembers(
    REVISION_MEMBERS.filter((member) => member !== "disabled"),
    wanted,
    now,
  );
  const { expires_at } = wanted;
  const endsNow = expires_at !== null && expires_at !== now.expires_at && Date.parse(expires_at) <= Date.now();
  return (
    <Stack gap="sm">
      <Text size="sm">{texts.confirmText}</Text>
      {members.length > 0 && <Text size="sm">{texts.confirmChanges(memberNames(members))}</Text>}
      {endsNow && (
        <Text size="sm" fw={600}>
          {texts.endsNow(formatDateTime(expires_at))}
        </Text>
      )}
    </Stack>
  );
}

/** The result of restoring a version, with a button to undo or retry. */
export function RestoreOutcome({ restoring }: { restoring: Restoring }) {
  const { restored, failure, isPending } = restoring;
  if (restored === null && !failure) return null;
  return (
    <Notice
      color={failure ? "red" : "green"}
      role={failure ? "alert" : "status"}
      title={failure && texts.notRestored(failure.revision)}
      actions={
        <>
          <SmallButton loading={isPending} onClick={failure ? restoring.tryAgain : restoring.undo}>
            {failure ? buttonTexts.tryAgain : texts.undo}
          </SmallButton>
          <SmallButton onClick={restoring.dismiss}>{buttonTexts.close}</SmallButton>
        </>
      }
    >
      {failure ? reasonOf(failure.error) : restored !== null && texts.restored(restored)}
    </Notice>
  );
}

function reasonOf(error: unknown): string {
  if (hasCode(error, "precondition_failed")) return texts.conflict;
  if (!(error instanceof ApiError)) return errorMessage(error);
  if (error.code === "plan_upgrade_required") return texts.premium;
  return error.problems.length > 0 ? error.problems.map(({ message }) => message).join(". ") : errorMessage(error);
}
