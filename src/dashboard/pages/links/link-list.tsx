/** One page of links, with buttons for the next and the previous one. */
import { Button, Group, Loader, Text } from "@mantine/core";
import { IconArrowLeft, IconArrowRight, IconLink, IconSearch, IconSearchOff } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { unwrap, useApi } from "../../api/client.ts";
import { ListSkeleton } from "../../components/skeletons.tsx";
import { EmptyState, ErrorState } from "../../components/states.tsx";
import { fillPage, PAGE_REQUESTS_MAX } from "./fill-page.ts";
import { type LinkFilters, isFiltered } from "./filters.ts";
import { LinkRow } from "./link-row.tsx";
import classes from "./link-list.module.css";

const LINKS_PER_PAGE = 20;

interface LinkListProps {
  filters: LinkFilters;
  onClear: () => void;
  onCreate: () => void;
}

/** The caller keys it by mode and filters, so that neither cursors nor rows carry over. */
export function LinkList({ filters, onClear, onCreate }: LinkListProps) {
  const { api, mode } = useApi();
  /** One for each page passed, to go back: the API's cursors lead forward only. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1) ?? null;
  const [request, setRequest] = useState(1);
  const readLinks = (signal: AbortSignal, after: string | null, limit: number) => {
    signal.throwIfAborted();
    return unwrap(api.links.$get({ query: { ...filters, limit: String(limit), ...(after ? { cursor: after } : {}) } }));
  };
  const page = useQuery({
    queryKey: [mode, "links", filters, cursor],
    queryFn: ({ signal }) =>
      fillPage((after, limit) => readLinks(signal, after, limit), cursor, LINKS_PER_PAGE, setRequest),
    placeholderData: keepPreviousData,
  });
  const progress = page.isFetching && request > 1 && <SearchProgress request={request} />;

  if (page.isPending) return progress || <ListSkeleton rows={6} height={68} />;
  if (page.error) return <ErrorState error={page.error} retry={() => void page.refetch()} />;
  const { links, next } = page.data;
  if (links.length === 0 && next === null && cursors.length === 0) {
    return isFiltered(filters) ? <NoMatches onClear={onClear} /> : <NoLinksYet onCreate={onCreate} />;
  }

  const goToPage = (to: readonly string[]) => {
    setRequest(1);
    setCursors(to);
    window.scrollTo({ top: 0 });
  };
  const isSearchIncomplete = next !== null && links.length < LINKS_PER_PAGE;
  return (
    <section aria-label="Links" aria-busy={page.isPlaceholderData}>
      {progress}
      <ul className={classes.list}>
        {links.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
      {links.length === 0 && (
        <Text c="dimmed">{next === null ? "There are no more links." : "None found so far."}</Text>
      )}
      {(cursors.length > 0 || next !== null) && (
        <Group component="nav" aria-label="Pages" justify="space-between" mt="md">
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            disabled={cursors.length === 0 || page.isPlaceholderData}
            onClick={() => goToPage(cursors.slice(0, -1))}
          >
            Previous
          </Button>
          <Text size="sm" c="dimmed" role="status">
            Page {cursors.length + 1}
          </Text>
          <Button
            variant="default"
            rightSection={
              isSearchIncomplete ? <IconSearch size={16} aria-hidden /> : <IconArrowRight size={16} aria-hidden />
            }
            disabled={next === null || page.isPlaceholderData}
            onClick={() => next !== null && goToPage([...cursors, next])}
          >
            {isSearchIncomplete ? "Search on" : "Next"}
          </Button>
        </Group>
      )}
    </section>
  );
}

/** Shown while few links match and further requests are made. */
function SearchProgress({ request }: { request: number }) {
  return (
    <Group gap="xs" role="status" py="sm">
      <Loader size="xs" aria-hidden />
      <Text size="sm" c="dimmed">
        Searching further, step {request} of {PAGE_REQUESTS_MAX} …
      </Text>
    </Group>
  );
}

function NoLinksYet({ onCreate }: { onCreate: () => void }) {
  const { mode } = useApi();
  return (
    <EmptyState
      icon={<IconLink size={30} />}
      title={mode === "test" ? "No test links yet" : "No links yet"}
      action={<Button onClick={onCreate}>Create your first {mode === "test" ? "test link" : "link"}</Button>}
    >
      Make a short link here, or through the API with a key from Settings. Only links made through the API can have QR
      codes and take part in the live stream.
    </EmptyState>
  );
}

function NoMatches({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState
      icon={<IconSearchOff size={30} />}
      title="No link matches"
      action={
        <Button variant="default" onClick={onClear}>
          Show all links
        </Button>
      }
    >
      Try fewer letters, or take the filters away.
    </EmptyState>
  );
}
