/** Buckets as a table with bars, in the API's order: most clicks first. A row filters everything by its key. */
import { Button, Table, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useState } from "react";

import type { Stats } from "../../../../core/contract/stats.ts";
import type { Grouping } from "../../../../core/clicks/groupings.ts";
import { formatCount, formatShare } from "../../../formatting/numbers.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { groupingName, isFilterable } from "./bucket-names.ts";
import classes from "./bucket-table.module.css";
import { KeyIcon } from "./key-icon.tsx";
import { toggleFilter } from "./stats-params.ts";
import { useBucketName } from "./use-bucket-name.ts";
import type { StatsView } from "./use-stats.ts";

const COLLAPSED_ROWS = 8;

interface BucketTableProps {
  grouping: Grouping;
  stats: Stats;
  view: StatsView;
}

export function BucketTable({ grouping, stats, view }: BucketTableProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { buckets, total } = stats;
  const maxClicks = buckets[0]?.clicks ?? 0;
  const rows = showsAll ? buckets : buckets.slice(0, COLLAPSED_ROWS);
  if (buckets.length === 0) {
    return (
      <Text size="sm" c="dimmed" py="md">
        {texts.noClicksInCard}
      </Text>
    );
  }
  return (
    <>
      <div
        className={classes.scroll}
        {...(showsAll ? { tabIndex: 0, role: "region", "aria-label": texts.allBy(groupingName(grouping)) } : {})}
      >
        <Table verticalSpacing={4} horizontalSpacing={8} withRowBorders={false} layout="fixed">
          <caption className={classes.caption}>
            <VisuallyHidden>{texts.clicksBy(groupingName(grouping))}</VisuallyHidden>
          </caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{groupingName(grouping)}</Table.Th>
              <Table.Th className={classes.clicks}>{texts.clicks}</Table.Th>
              <Table.Th className={classes.share}>{texts.share}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, clicks }) => (
              <Table.Tr key={key} className={classes.row}>
                <Table.Td className={classes.name}>
                  <span className={classes.bar} style={{ width: `${(100 * clicks) / maxClicks}%` }} aria-hidden />
                  <BucketLabel grouping={grouping} bucketKey={key} view={view} />
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
          {showsAll ? texts.showFewer : texts.showAll(formatCount(buckets.length))}
        </Button>
      )}
    </>
  );
}

interface BucketLabelProps {
  grouping: Grouping;
  bucketKey: string;
  view: StatsView;
}

function BucketLabel({ grouping, bucketKey, view: { params, change } }: BucketLabelProps) {
  const name = useBucketName(grouping)(bucketKey);
  const label = (
    <>
      <KeyIcon grouping={grouping} bucketKey={bucketKey} />
      <span className={classes.text}>{name}</span>
    </>
  );
  if (!isFilterable(grouping, bucketKey)) return <span className={classes.label}>{label}</span>;
  return (
    <UnstyledButton
      className={`${classes.label} ${classes.filter}`}
      title={name}
      aria-pressed={params.filters[grouping]?.includes(bucketKey) ?? false}
      onClick={() => change({ filters: toggleFilter(params.filters, grouping, bucketKey) })}
    >
      {label}
    </UnstyledButton>
  );
}
