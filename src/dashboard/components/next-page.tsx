/** Shown below a paginated list: the button for the next page, or why loading it failed. */

import type { UseInfiniteQueryResult } from "@tanstack/react-query";

import { ErrorState } from "./states.tsx";
import { PlainButton } from "./buttons.tsx";

interface NextPageProps {
  pages: Pick<UseInfiniteQueryResult, "error" | "refetch" | "hasNextPage" | "fetchNextPage" | "isFetchingNextPage">;
  label: string;
}

export function NextPage({ pages, label }: NextPageProps) {
  const { error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages;
  if (error) return <ErrorState error={error} retry={() => void (hasNextPage ? fetchNextPage() : refetch())} />;
  if (!hasNextPage) return null;
  return (
    <PlainButton style={{ alignSelf: "flex-start" }} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {label}
    </PlainButton>
  );
}
