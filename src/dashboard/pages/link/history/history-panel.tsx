/** The history of a link: its versions, what differs between them, and the way back. */
import { Stack, Title } from "@mantine/core";

import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import { NextPage } from "../../../components/next-page.tsx";
import { EmptyState, ErrorState, ListSkeleton } from "../../../components/states.tsx";
import { Hint } from "../../../components/hint.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { historyTexts as texts } from "../../../texts/history.ts";
import type { LinkWithEtag } from "../use-link.ts";
import classes from "./history.module.css";
import { RevisionCard } from "./revision-card.tsx";
import { useHistoryParams } from "./history-params.ts";
import { RestoreOutcome, useRestoreRevision } from "./restore-revision.tsx";
import { useAuthorName, useRevisionClicks, useRevisions } from "./use-revisions.ts";

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
  const known = uniqueRevisions(data.pages.flatMap((page) => page.data));
  // The last one is compared with the one before it, which comes with the next page.
  const shown = hasNextPage ? known.slice(0, -1) : known;
  const [newest] = known;
  if (!newest) return null;
  if (known.length === 1 && data.pages[0]?.complete)
    return (
      <EmptyState icon={icon("history", 30)} title={texts.neverChanged}>
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

/** A change between two pages: a version may be on both. */
function uniqueRevisions(revisions: readonly LinkRevision[]): LinkRevision[] {
  return [...new Map(revisions.map((each) => [each.revision, each])).values()];
}
