/** The history of a link: its versions, their differences, and restoring them. */
import { Badge, Collapse, Group, Paper, Select, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { useId } from "react";

import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import { changedMembers, REVISION_MEMBERS } from "../../../../core/links/link-members.ts";
import { ApiError, errorMessage, hasCode } from "../../../api/api-error.ts";
import { queryClient, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { Hint, SmallButton } from "../../../components/buttons.tsx";
import { EmptyState, ErrorState, ListSkeleton, NextPage, Notice } from "../../../components/states.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { askToConfirm } from "../../../notifications.ts";
import { historyTexts as texts } from "../../../texts/history.ts";
import { buttonTexts } from "../../../texts/shell.ts";
import { type LinkWithEtag, unwrapLink } from "../use-link.ts";
import { type DifferenceLine, differencesOf, type MemberDifference, memberNames } from "./differences.ts";
import classes from "./history.module.css";
import {
  type HistoryView,
  revisionsKey,
  useAuthorName,
  useHistoryParams,
  useRevisionClicks,
  useRevisions,
} from "./use-revisions.ts";

export default function HistoryPanel({ current }: { current: LinkWithEtag }) {
  const { link } = current;
  const pages = useRevisions(link.id);
  const { data, error, refetch, hasNextPage } = pages;
  const clicksOf = useRevisionClicks(link.id);
  const authorName = useAuthorName();
  const restoring = useRestoreRevision(current);
  const view = useHistoryParams();
  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <ListSkeleton rows={4} height={92} />;
  // A change between two page requests can put a version on both pages.
  const known = [...new Map(data.pages.flatMap((page) => page.data).map((each) => [each.revision, each])).values()];
  // The last one is compared with the version before it, which is on the next page.
  const shown = hasNextPage ? known.slice(0, -1) : known;
  const [newest] = known;
  if (!newest) return null;
  if (known.length === 1 && data.pages[0]?.complete)
    return (
      <EmptyState icon={icon("history", 30)} title={texts.neverChanged} example={texts.example}>
        {texts.neverChangedHint(formatDateTime(newest.changed_at), authorName(newest.changed_by))}
      </EmptyState>
    );
  return (
    <section aria-labelledby="history-title">
      <Title order={2} size="h4" id="history-title" mb={4}>
        {texts.title}
      </Title>
      <Hint mb="sm">{texts.hint}</Hint>
      <Stack gap="sm">
        <RestoreOutcome restoring={restoring} />
        <Stack component="ul" gap="sm" m={0} p={0} className={classes.list} aria-label={texts.list}>
          {shown.map((revision, i) => (
            <RevisionCard
              key={revision.revision}
              revision={revision}
              before={known[i + 1]}
              known={known}
              newest={newest}
              author={authorName(revision.changed_by)}
              clicks={clicksOf(revision, known[i + 1])}
              view={view}
              restoring={restoring}
            />
          ))}
        </Stack>
        <NextPage pages={pages} label={texts.loadMore} />
        {!hasNextPage && !data.pages[0]?.complete && <Hint>{texts.firstKept}</Hint>}
      </Stack>
    </section>
  );
}

interface RevisionCardProps {
  revision: LinkRevision;
  /** The previous version; undefined for the oldest stored one. */
  before: LinkRevision | undefined;
  /** The versions that this one can be compared with. */
  known: readonly LinkRevision[];
  newest: LinkRevision;
  author: string;
  /** Null until known. */
  clicks: number | null;
  view: HistoryView;
  restoring: Restoring;
}

/** A version in the list: time, author, changes, clicks and actions. */
function RevisionCard(props: RevisionCardProps) {
  const { revision: each, before, newest, author, clicks, view, restoring } = props;
  const titleId = useId();
  const differenceId = useId();
  const isOpen = view.params.version === each.revision;
  const labels = labelsOf(isOpen, before !== undefined);
  const isComparable = props.known.length > 1;
  return (
    <Paper component="li" withBorder p="md" aria-labelledby={titleId}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} className={classes.facts}>
          <Group gap="xs">
            <Text fw={600} id={titleId}>
              {texts.version(each.revision)}
            </Text>
            {each === newest && <Badge>{texts.current}</Badge>}
            {clicks !== null && <Hint>{texts.clicks(clicks)}</Hint>}
          </Group>
          <Text size="sm">{summaryOf(each, before)}</Text>
          <Hint>
            {formatDateTime(each.changed_at)} {author}
          </Hint>
        </Stack>
        <Group gap="xs">
          {isComparable && (
            <SmallButton
              aria-label={labels.long(each.revision)}
              aria-expanded={isOpen}
              aria-controls={differenceId}
              rightSection={icon("chevron-down", 14, { className: classes.chevron, "data-open": isOpen })}
              onClick={() => view.change({ version: isOpen ? null : each.revision, against: null })}
            >
              {labels.short}
            </SmallButton>
          )}
          {each !== newest && (
            <SmallButton
              aria-label={texts.restoreOf(each.revision)}
              leftSection={icon("arrow-back-up", 14)}
              disabled={restoring.isPending}
              onClick={() => restoring.ask(each, newest)}
            >
              {texts.restore}
            </SmallButton>
          )}
        </Group>
      </Group>
      <Collapse expanded={isOpen} id={differenceId}>
        {isOpen && <RevisionDifference revision={each} before={before} known={props.known} view={view} />}
      </Collapse>
    </Paper>
  );
}

function labelsOf(isOpen: boolean, hasBefore: boolean): { short: string; long: (revision: number) => string } {
  if (isOpen) return { short: texts.hide, long: texts.hideOf };
  return hasBefore ? { short: texts.show, long: texts.showOf } : { short: texts.compare, long: texts.compareOf };
}

function summaryOf({ changed }: LinkRevision, before: LinkRevision | undefined): string {
  if (changed === null) return texts.firstKept;
  return before || changed.length > 0 ? texts.changed(memberNames(changed)) : texts.created;
}

type RevisionDifferenceProps = Pick<RevisionCardProps, "revision" | "before" | "known" | "view">;

/** The differences between two versions by line: removed and added lines have a sign and a word besides their color. */
function RevisionDifference({ revision, before, known, view }: RevisionDifferenceProps) {
  const others = known.filter((each) => each !== revision);
  const other = others.find((each) => each.revision === view.params.against) ?? before ?? others[0];
  if (!other) return null;
  // Compares the older version with the newer one, whichever is open.
  const [from, to] = other.revision < revision.revision ? [other, revision] : [revision, other];
  const differences = differencesOf(from, to);
  return (
    <Stack gap="sm" pt="md">
      <Select
        size="xs"
        maw={320}
        label={texts.comparedWith}
        data={others.map((each) => ({
          value: String(each.revision),
          label: `${texts.version(each.revision)}, ${formatDateTime(each.changed_at)}`,
        }))}
        value={String(other.revision)}
        onChange={(value) =>
          view.change({ version: revision.revision, against: value === null ? null : Number(value) })
        }
      />
      <Text size="sm" fw={600}>
        {texts.difference(from.revision, to.revision)}
      </Text>
      {differences.length === 0 && <Text size="sm">{texts.nothingDiffers}</Text>}
      {differences.map((difference) => (
        <Member key={difference.member} difference={difference} />
      ))}
    </Stack>
  );
}

function Member({ difference: { member, lines } }: { difference: MemberDifference }) {
  return (
    <div>
      <Hint mb={4}>{texts.labels[member]}</Hint>
      <ul className={classes.lines} aria-label={texts.labels[member]}>
        {lines.map((line, i) => (
          <Line key={i} line={line} />
        ))}
      </ul>
    </div>
  );
}

const SIGNS: Record<DifferenceLine["kind"], string> = { same: " ", removed: "−", added: "+", moved: "↕" };

function Line({ line: { kind, text } }: { line: DifferenceLine }) {
  const Tag = kind === "removed" ? "del" : kind === "added" ? "ins" : "span";
  return (
    <li className={classes.line} data-kind={kind}>
      <span aria-hidden className={classes.sign}>
        {SIGNS[kind]}
      </span>
      {kind !== "same" && <VisuallyHidden>{texts[kind]}: </VisuallyHidden>}
      <Tag className={classes.text}>{text}</Tag>
    </li>
  );
}

interface Request {
  revision: number;
  /** The version that it replaces. */
  replaced: number;
  etag: string;
}

/** Restores a version of a link after a confirmation. Undoing that restores the version before. */
function useRestoreRevision({ link, etag }: LinkWithEtag) {
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

type Restoring = ReturnType<typeof useRestoreRevision>;

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
function RestoreOutcome({ restoring }: { restoring: Restoring }) {
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
