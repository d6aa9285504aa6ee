/** The history of a link: its versions, their differences, and restoring them. */
import { Badge, Collapse, Group, Paper, Select, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { useId } from "react";

import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import type { Link } from "../../../../core/contract/links.ts";
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
  const restore = useRestore(link);
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
  const ask = (wanted: LinkRevision) =>
    askToConfirm({
      title: texts.confirmTitle(wanted.revision),
      children: <Question wanted={wanted} now={newest} />,
      labels: { confirm: texts.restore, cancel: buttonTexts.cancel },
      onConfirm: () => restore.mutate({ revision: wanted.revision, replaced: newest.revision, etag: current.etag }),
    });
  return (
    <section aria-labelledby="history-title">
      <Title order={2} size="h4" id="history-title" mb={4}>
        {texts.title}
      </Title>
      <Hint mb="sm">{texts.hint}</Hint>
      <Stack gap="sm">
        <RestoreOutcome restore={restore} etag={current.etag} />
        <Stack component="ul" gap="sm" m={0} p={0} className={classes.list} aria-label={texts.list}>
          {shown.map((revision, i) => (
            <RevisionCard
              key={revision.revision}
              revision={revision}
              known={known}
              author={authorName(revision.changed_by)}
              clicks={clicksOf(revision, known[i + 1])}
              view={view}
              restore={restore.isPending ? undefined : () => ask(revision)}
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
  /** Versions to compare with, this one included, newest first. */
  known: readonly LinkRevision[];
  author: string;
  /** Null until known. */
  clicks: number | null;
  view: HistoryView;
  /** Undefined while a version is being restored. */
  restore: (() => void) | undefined;
}

/** A version in the list: time, author, changes, clicks and actions. */
function RevisionCard({ revision: each, known, author, clicks, view, restore }: RevisionCardProps) {
  const titleId = useId();
  const differenceId = useId();
  const before = versionBefore(each, known);
  const isNewest = each === known[0];
  const isOpen = view.version === String(each.revision);
  const labels = labelsOf(isOpen, before !== undefined);
  return (
    <Paper component="li" withBorder p="md" aria-labelledby={titleId}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={4} className={classes.facts}>
          <Group gap="xs">
            <Text fw={600} id={titleId}>
              {texts.version(each.revision)}
            </Text>
            {isNewest && <Badge>{texts.current}</Badge>}
            {clicks !== null && <Hint>{texts.clicks(clicks)}</Hint>}
          </Group>
          <Text size="sm">{summaryOf(each, before)}</Text>
          <Hint>
            {formatDateTime(each.changed_at)} {author}
          </Hint>
        </Stack>
        <Group gap="xs">
          {known.length > 1 && (
            <SmallButton
              aria-label={labels.long(each.revision)}
              aria-expanded={isOpen}
              aria-controls={differenceId}
              rightSection={icon("chevron-down", 14, { className: classes.chevron, "data-open": isOpen })}
              onClick={() => view.change(isOpen ? null : String(each.revision), null)}
            >
              {labels.short}
            </SmallButton>
          )}
          {!isNewest && (
            <SmallButton
              aria-label={texts.restoreOf(each.revision)}
              leftSection={icon("arrow-back-up", 14)}
              disabled={!restore}
              onClick={restore}
            >
              {texts.restore}
            </SmallButton>
          )}
        </Group>
      </Group>
      <Collapse expanded={isOpen} id={differenceId}>
        {isOpen && <RevisionDifference revision={each} known={known} view={view} />}
      </Collapse>
    </Paper>
  );
}

/** Undefined for the oldest that is known. */
function versionBefore(revision: LinkRevision, known: readonly LinkRevision[]): LinkRevision | undefined {
  return known[known.indexOf(revision) + 1];
}

function labelsOf(isOpen: boolean, hasBefore: boolean): { short: string; long: (revision: number) => string } {
  if (isOpen) return { short: texts.hide, long: texts.hideOf };
  return hasBefore ? { short: texts.show, long: texts.showOf } : { short: texts.compare, long: texts.compareOf };
}

function summaryOf({ changed }: LinkRevision, before: LinkRevision | undefined): string {
  if (changed === null) return texts.firstKept;
  return before || changed.length > 0 ? texts.changed(memberNames(changed)) : texts.created;
}

type RevisionDifferenceProps = Pick<RevisionCardProps, "revision" | "known" | "view">;

/** The differences between two versions by line: removed and added lines have a sign and a word besides their color. */
function RevisionDifference({ revision, known, view }: RevisionDifferenceProps) {
  const others = known.filter((each) => each !== revision);
  const other =
    others.find((each) => String(each.revision) === view.against) ?? versionBefore(revision, known) ?? others[0];
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
        onChange={(value) => view.change(String(revision.revision), value)}
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

interface Restoration {
  revision: number;
  /** The version that it replaces. */
  replaced: number;
  etag: string;
}

function useRestore({ id }: Link) {
  const { api, mode } = useApi();
  return useSingleMutation({
    mutationFn: ({ revision, etag }: Restoration) =>
      unwrapLink(
        api.links[":id"].revisions[":revision"].restore.$post(
          { param: { id, revision: String(revision) }, json: {} },
          { headers: { "If-Match": etag } },
        ),
      ),
    onSuccess: (updated) => {
      queryClient.setQueryData([mode, "link", id], updated);
      void queryClient.invalidateQueries({ queryKey: [mode, "links"] });
    },
    // Also after a conflict: the list and the link are then outdated.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: [mode, "link", id] });
      return queryClient.invalidateQueries({ queryKey: revisionsKey(mode, id) });
    },
  });
}

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

interface RestoreOutcomeProps {
  restore: ReturnType<typeof useRestore>;
  /** Of the link. */
  etag: string;
}

/** The result of restoring a version, with a button to undo it, unless the link was changed since, or to retry. */
function RestoreOutcome({ restore: { variables, data, error, mutate, reset }, etag }: RestoreOutcomeProps) {
  if (!variables || (!data && !error)) return null;
  const { revision, replaced } = variables;
  const next = data ? { revision: replaced, replaced: revision, etag: data.etag } : { ...variables, etag };
  return (
    <Notice
      color={error ? "red" : "green"}
      role={error ? "alert" : "status"}
      title={error && texts.notRestored(revision)}
      actions={
        <>
          <SmallButton onClick={() => mutate(next)}>{error ? buttonTexts.tryAgain : texts.undo}</SmallButton>
          <SmallButton onClick={reset}>{buttonTexts.close}</SmallButton>
        </>
      }
    >
      {error ? reasonOf(error) : texts.restored(revision)}
    </Notice>
  );
}

function reasonOf(error: unknown): string {
  if (hasCode(error, "precondition_failed")) return texts.conflict;
  if (!(error instanceof ApiError)) return errorMessage(error);
  if (error.code === "plan_upgrade_required") return texts.premium;
  return error.problems.length > 0 ? error.problems.map(({ message }) => message).join(". ") : errorMessage(error);
}
