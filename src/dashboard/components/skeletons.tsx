/** Placeholders while data is loading. Screen readers announce the list once, not each bar. */
import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";

import { shellTexts } from "../texts/shell.ts";

export function PageSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={34} width={180} />
      <ListSkeleton rows={5} />
    </Stack>
  );
}

export function ListSkeleton({ rows, height = 56 }: { rows: number; height?: number }) {
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>{shellTexts.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} aria-hidden />
      ))}
    </Stack>
  );
}
