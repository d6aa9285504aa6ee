/** One page of links, and the way to the next and the one before. */
import { Button, Group, Text } from "@mantine/core";
import { IconArrowLeft, IconArrowRight, IconLink, IconSearchOff } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { answer, useApi } from "../../api/client.ts";
import { ListSkeleton } from "../../parts/skeletons.tsx";
import { EmptyState, ErrorState } from "../../parts/states.tsx";
import { type Filters, isFiltered } from "./filters.ts";
import { LinkRow } from "./link-row.tsx";
import classes from "./link-list.module.css";

const PAGE_LINKS = "20";

interface LinkListProps {
  filters: Filters;
  onClear: () => void;
  onCreate: () => void;
}

/** Mounted anew for each mode and filter, so that neither cursors nor rows pass from one to the other. */
export function LinkList({ filters, onClear, onCreate }: LinkListProps) {
  const { api, mode } = useApi();
  /** One for each page gone through; the API's cursors lead forward only. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const page = useQuery({
    queryKey: [mode, "links", filters, cursor ?? null],
    queryFn: () => answer(api.links.$get({ query: { ...filters, limit: PAGE_LINKS, ...(cursor ? { cursor } : {}) } })),
    placeholderData: keepPreviousData,
  });

  if (page.isPending) return <ListSkeleton rows={6} height={68} />;
  if (page.error) return <ErrorState error={page.error} retry={() => void page.refetch()} />;
  const { data, has_more, next_cursor } = page.data;
  if (data.length === 0 && cursors.length === 0) {
    return isFiltered(filters) ? <NothingFound onClear={onClear} /> : <NoLinksYet onCreate={onCreate} />;
  }

  const turn = (to: readonly string[]) => {
    setCursors(to);
    window.scrollTo({ top: 0 });
  };
  return (
    <section aria-label="Links" aria-busy={page.isPlaceholderData}>
      <ul className={classes.list}>
        {data.map((link) => (
          <LinkRow key={link.id} link={link} />
        ))}
      </ul>
      {data.length === 0 && <Text c="dimmed">There are no more links.</Text>}
      {(cursors.length > 0 || has_more) && (
        <Group component="nav" aria-label="Pages" justify="space-between" mt="md">
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            disabled={cursors.length === 0 || page.isPlaceholderData}
            onClick={() => turn(cursors.slice(0, -1))}
          >
            Previous
          </Button>
          <Text size="sm" c="dimmed" role="status">
            Page {cursors.length + 1}
          </Text>
          <Button
            variant="default"
            rightSection={<IconArrowRight size={16} aria-hidden />}
            disabled={next_cursor === null || page.isPlaceholderData}
            onClick={() => next_cursor !== null && turn([...cursors, next_cursor])}
          >
            Next
          </Button>
        </Group>
      )}
    </section>
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

function NothingFound({ onClear }: { onClear: () => void }) {
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
