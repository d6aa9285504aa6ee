/** Statistics for people, and as CSV. Pure. */
import { figure } from "../../../core/limits.ts";
import { csvRow } from "../../../core/encoding/csv.ts";
import type { AccountStats, Stats } from "../../index.ts";
import type { Colors } from "../terminal/colors.ts";
import { localTime, percent } from "../terminal/figures.ts";
import { sparkline } from "../terminal/sparkline.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { visibleText } from "../terminal/visible-text.ts";

type AnyStats = Stats | AccountStats;

const BUCKETS_SHOWN = 20;
const WIDTH_WITHOUT_TERMINAL = 80;

export function statsLines(stats: AnyStats, colors: Colors, width: number | undefined): string[] {
  const visitors = stats.unique_visitors === undefined ? "" : `, ${figure(stats.unique_visitors)} visitors`;
  const total = `${colors.bold(figure(stats.total))} ${stats.total === 1 ? "click" : "clicks"}${visitors}`;
  return [
    `${total}  ${colors.dim(`${localTime(stats.from)} – ${localTime(stats.to)}`)}`,
    ...seriesLines(stats, colors, width ?? WIDTH_WITHOUT_TERMINAL),
    ...(stats.buckets.length > 0 ? ["", ...bucketLines(stats, colors, width)] : []),
  ];
}

function seriesLines({ series, interval }: AnyStats, colors: Colors, width: number): string[] {
  if (series.length === 0) return [];
  const values = series.map(({ clicks }) => clicks);
  return [colors.cyan(sparkline(values, width)), colors.dim(`by ${interval}, at most ${figure(Math.max(...values))}`)];
}

function bucketLines({ buckets, group_by, total }: AnyStats, colors: Colors, width: number | undefined): string[] {
  const hasVisitors = buckets.some((bucket) => bucket.unique_visitors !== undefined);
  const visitors: Column[] = hasVisitors ? [{ title: "VISITORS", align: "right" }] : [];
  const columns: Column[] = [
    { title: group_by.toUpperCase() },
    { title: "CLICKS", align: "right" },
    { title: "SHARE", align: "right" },
    ...visitors,
  ];
  const rows = buckets
    .slice(0, BUCKETS_SHOWN)
    .map(({ key, clicks, unique_visitors }) => [
      visibleText(key),
      figure(clicks),
      percent(clicks, total),
      ...(hasVisitors ? [figure(unique_visitors ?? 0)] : []),
    ]);
  const [titles = "", ...lines] = tableLines(columns, rows, width);
  const hidden = buckets.length - BUCKETS_SHOWN;
  return [
    colors.bold(titles),
    ...lines,
    ...(hidden > 0 ? [colors.dim(`and ${figure(hidden)} more (--csv, --json)`)] : []),
  ];
}

/** With an interval its series, else the buckets. */
export function statsCsv({ buckets, series, interval, group_by }: AnyStats): string {
  const rows =
    interval === null
      ? buckets.map(({ key, ...figures }) => [key, figures])
      : series.map(({ start, ...figures }) => [start, figures]);
  const hasVisitors = [...buckets, ...series].some(({ unique_visitors }) => unique_visitors !== undefined);
  const header = [interval === null ? group_by : "start", "clicks", ...(hasVisitors ? ["unique_visitors"] : [])];
  const lines = (rows as [string, { clicks: number; unique_visitors?: number }][]).map(
    ([name, { clicks, unique_visitors }]) => csvRow([name, clicks, ...(hasVisitors ? [unique_visitors ?? 0] : [])]),
  );
  return csvRow(header) + lines.join("");
}
