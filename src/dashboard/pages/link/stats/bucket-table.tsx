/** Buckets as a table with bars, in the API's order: most clicks first. */
import { Button, Table, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { Grouping } from "../../../../core/clicks/groupings.ts";
import { formatCount, formatShare } from "../../../formatting/numbers.ts";
import { bucketName, groupingName } from "./bucket-names.ts";
import classes from "./bucket-table.module.css";

const COLLAPSED_ROWS = 8;

export function BucketTable({ grouping, stats }: { grouping: Grouping; stats: Stats }) {
  const [showsAll, setShowsAll] = useState(false);
  const { buckets, total } = stats;
  const maxClicks = buckets[0]?.clicks ?? 0;
  const rows = showsAll ? buckets : buckets.slice(0, COLLAPSED_ROWS);
  if (buckets.length === 0) {
    return (
      <Text size="sm" c="dimmed" py="md">
        No clicks in this range.
      </Text>
    );
  }
  return (
    <>
      <div
        className={classes.scroll}
        {...(showsAll ? { tabIndex: 0, role: "region", "aria-label": `All by ${groupingName(grouping)}` } : {})}
      >
        <Table verticalSpacing={6} horizontalSpacing={8} withRowBorders={false} layout="fixed">
          <caption className={classes.caption}>
            <VisuallyHidden>Clicks by {groupingName(grouping).toLowerCase()}</VisuallyHidden>
          </caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{groupingName(grouping)}</Table.Th>
              <Table.Th className={classes.clicks}>Clicks</Table.Th>
              <Table.Th className={classes.share}>Share</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, clicks }) => (
              <Table.Tr key={key}>
                <Table.Td className={classes.name} title={bucketName(grouping, key)}>
                  <span className={classes.bar} style={{ width: `${(100 * clicks) / maxClicks}%` }} aria-hidden />
                  <span className={classes.text}>{bucketName(grouping, key)}</span>
                </Table.Td>
                <Table.Td className={classes.clicks}>{formatCount(clicks)}</Table.Td>
                <Table.Td className={classes.share}>{formatShare(clicks / total)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {buckets.length > COLLAPSED_ROWS && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? "Show fewer" : `Show all ${formatCount(buckets.length)}`}
        </Button>
      )}
    </>
  );
}
