/** `hoplink stats`: shows statistics of one link or the whole account. */
import { type Command, Option } from "@commander-js/extra-typings";

import { ACCOUNT_GROUPINGS, INTERVALS } from "../../../core/clicks/counting/groupings.ts";
import { csvRow } from "../../../core/encoding/csv.ts";
import { figure } from "../../../core/limits.ts";
import type { AccountStats, LinkStatsQuery, Stats, StatsQuery } from "../../index.ts";
import { usageFailure } from "../errors.ts";
import type { Colors, Io } from "../io.ts";
import { rangeQuery, withRange } from "../options.ts";
import { linkIdOf, serviceCommand, withSession } from "../session.ts";
import { type Column, localTime, percent, tableLines, visibleText } from "../terminal-text.ts";

const FROM_DEFAULT = "30d";

export function addStatsCommand(program: Command, io: Io): void {
  withRange(serviceCommand(program, "stats", "Show click statistics of the account or a link"), FROM_DEFAULT)
    .argument("[LINK]", "ID, slug or short URL of the link")
    .addOption(
      new Option("--group-by <GROUPING>", "Group clicks by").choices(ACCOUNT_GROUPINGS).default("country" as const),
    )
    .addOption(new Option("--interval <INTERVAL>", "Interval of the time series").choices(INTERVALS))
    .option("--timezone <ZONE>", "Time zone of the intervals, such as Europe/Berlin (default: UTC)")
    .option("--uniques", "Also count unique visitors")
    .option("--include-bots", "Include declared bots and prefetches")
    .option("--csv", "Print CSV: the time series with --interval, otherwise the groups")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const { groupBy, interval, timezone, uniques, includeBots, csv, json } = options;
        if (csv && json) throw usageFailure("--csv and --json cannot be combined");
        // For people, the default is a daily series. Programs get only the series that they request.
        const shown = interval ?? (csv || json ? undefined : ("day" as const));
        const query = {
          ...rangeQuery(options),
          group_by: groupBy,
          ...(shown && { interval: shown }),
          ...(shown && timezone !== undefined && { timezone }),
          ...(uniques && { include: "uniques" as const }),
          ...(includeBots && { include_bots: true }),
        };
        const { hoplink } = session;
        const stats =
          name === undefined
            ? await hoplink.stats(query as StatsQuery, { signal: io.signal })
            : await hoplink.links.stats(await linkIdOf(session, name), query as LinkStatsQuery, { signal: io.signal });
        if (json) await io.printJson(stats);
        else if (csv) await io.write(statsCsv(stats));
        else await io.print(...statsLines(stats, io.colors, io.width));
      }),
    );
}

type AnyStats = Stats | AccountStats;

const BUCKETS_SHOWN = 20;
const WIDTH_WITHOUT_TERMINAL = 80;

function statsLines(stats: AnyStats, colors: Colors, width: number | undefined): string[] {
  const visitors = stats.unique_visitors === undefined ? "" : `, ${visitorsText(stats.unique_visitors)}`;
  const total = `${colors.bold(figure(stats.total))} ${stats.total === 1 ? "click" : "clicks"}${visitors}`;
  return [
    `${total}  ${colors.dim(`${localTime(stats.from)} – ${localTime(stats.to)}`)}`,
    ...seriesLines(stats, colors, width ?? WIDTH_WITHOUT_TERMINAL),
    ...(stats.buckets.length > 0 ? ["", ...bucketLines(stats, colors, width)] : []),
  ];
}

function visitorsText(count: number): string {
  return `${figure(count)} unique ${count === 1 ? "visitor" : "visitors"}`;
}

function seriesLines({ series, interval }: AnyStats, colors: Colors, width: number): string[] {
  if (series.length === 0) return [];
  const values = series.map(({ clicks }) => clicks);
  return [
    colors.cyan(sparkline(values, width)),
    colors.dim(`per ${visibleText(interval)}, maximum ${figure(Math.max(...values))}`),
  ];
}

function bucketLines({ buckets, group_by, total }: AnyStats, colors: Colors, width: number | undefined): string[] {
  const hasVisitors = buckets.some((bucket) => bucket.unique_visitors !== undefined);
  const columns: Column<AnyStats["buckets"][number]>[] = [
    {
      title: visibleText(group_by).toUpperCase(),
      cell: ({ key, name }) => (name === undefined ? key : `${name} (${key})`),
    },
    { title: "CLICKS", align: "right", cell: ({ clicks }) => figure(clicks) },
    { title: "SHARE", align: "right", cell: ({ clicks }) => percent(clicks, total) },
  ];
  if (hasVisitors)
    columns.push({ title: "VISITORS", align: "right", cell: ({ unique_visitors = 0 }) => figure(unique_visitors) });
  const hidden = buckets.length - BUCKETS_SHOWN;
  return [
    ...tableLines(columns, buckets.slice(0, BUCKETS_SHOWN), width, colors.bold),
    ...(hidden > 0 ? [colors.dim(`and ${figure(hidden)} more (list all with --csv or --json)`)] : []),
  ];
}

/** The series if an interval was requested, otherwise the buckets. */
function statsCsv({ buckets, series, interval, group_by }: AnyStats): string {
  const rows: readonly CsvFigures[] =
    interval === null
      ? buckets.map(({ key, ...rest }) => ({ cells: group_by === "qr" ? [key, rest.name ?? ""] : [key], ...rest }))
      : series.map(({ start, ...rest }) => ({ cells: [start], ...rest }));
  const hasVisitors = [...buckets, ...series].some(({ unique_visitors }) => unique_visitors !== undefined);
  const first = interval !== null ? ["start"] : group_by === "qr" ? ["qr", "name"] : [group_by];
  const lines = rows.map(({ cells, clicks, unique_visitors }) =>
    csvRow([...cells, clicks, ...(hasVisitors ? [unique_visitors ?? 0] : [])]),
  );
  return csvRow([...first, "clicks", ...(hasVisitors ? ["unique_visitors"] : [])]) + lines.join("");
}

interface CsvFigures {
  cells: string[];
  clicks: number;
  unique_visitors?: number | undefined;
}

const BARS = "▁▂▃▄▅▆▇█";

/** A row of bars, one per value. @internal @param width  if there are more values, adjacent ones are summed */
export function sparkline(values: readonly number[], width: number): string {
  const shown = squeezed(values, width);
  const most = Math.max(...shown, 1);
  return shown.map((value) => BARS[barOf(value / most)]).join("");
}

/** Every value above zero is visible: only zero gets the lowest bar. */
function barOf(share: number): number {
  return share <= 0 ? 0 : Math.max(1, Math.round(share * (BARS.length - 1)));
}

function squeezed(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values;
  const sums = Array.from({ length: width }, () => 0);
  for (const [i, value] of values.entries()) {
    const place = Math.floor((i * width) / values.length);
    sums[place] = (sums[place] ?? 0) + value;
  }
  return sums;
}
