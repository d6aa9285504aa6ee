/** Reports as Markdown tables, which the guide on scale shows unchanged. Pure. */
import { MONTH_HOURS } from "../../../src/core/costs/monthly-costs.ts";
import { type DatabasesReport, type Report, totalDollars } from "./report.ts";
import type { Traffic } from "./traffic.ts";

type Row = [name: string, ...cells: string[]];

/** Reads and calls; the databases; the bill. A column for each report, or rows. */
export function tablesOf(reports: readonly Report[]): string[] {
  const names = reports.map(({ traffic }) => nameOf(traffic));
  return [
    table(["links, redirects", ...names], readRows(reports)),
    table(
      ["links, redirects", "databases", "GB each", "reads/s", "busiest replica/s", "primary/s", "over a limit"],
      reports.flatMap(({ traffic, databases }) =>
        databases.map((one): Row => [nameOf(traffic), ...databaseCells(one)]),
      ),
    ),
    table(["dollars a month", ...names], billRows(reports)),
  ];
}

function nameOf({ links, redirectsPerSecond }: Traffic): string {
  const count = links < 1e6 ? written(links) : `${written(links / 1e6)} M`;
  return `${count}, ${written(redirectsPerSecond)}/s`;
}

function readRows(reports: readonly Report[]): Row[] {
  const row = (name: string, value: (report: Report) => string): Row => [name, ...reports.map(value)];
  return [
    row("reads that a visitor waits for", ({ calculated }) => share(calculated.cold)),
    row("reads in the background", ({ calculated }) => share(calculated.refreshed)),
    row("all reads", ({ calculated }) => share(calculated.cold + calculated.refreshed)),
    row("all reads, simulated", ({ simulated }) => share(simulated.cold + simulated.refreshed)),
    row("all reads, if a place's isolates shared a cache", ({ sharedCacheReads }) => share(sharedCacheReads)),
    row("calls to links' objects", ({ calculated }) => share(calculated.calls)),
    row("calls, simulated", ({ simulated }) => share(simulated.calls)),
    row("busiest link: redirects a second", ({ busiestLink }) => written(busiestLink.redirects)),
    row("busiest link: reads a second", ({ busiestLink }) => written(busiestLink.reads)),
    row("busiest link: calls a second, if its object set no pace", ({ busiestLink }) => written(busiestLink.calls)),
    row("busiest link: days until its object has 10 GB", ({ busiestLink }) => written(busiestLink.daysUntilFull)),
  ];
}

const EXCEEDED_NAMES: Record<DatabasesReport["exceeded"][number], string> = {
  replica: "replicas",
  primary: "primary",
  storage: "size",
};

function databaseCells({ databases, gigabytes, calculated, exceeded }: DatabasesReport): string[] {
  const { reads, replica, primary } = calculated;
  return [
    written(databases),
    written(gigabytes),
    written(reads),
    written(replica),
    written(primary),
    exceeded.length === 0 ? "none" : `**${exceeded.map((one) => EXCEEDED_NAMES[one]).join(", ")}**`,
  ];
}

function billRows(reports: readonly Report[]): Row[] {
  const items = (reports[0]?.month ?? []).map(
    ({ name }, i): Row => [name, ...reports.map(({ month }) => written(month[i]?.dollars ?? NaN))],
  );
  return [
    ...items,
    ["**together**", ...reports.map((report) => `**${written(totalDollars(report))}**`)],
    ["a million redirects", ...reports.map((report) => dollarsPerMillion(report).toFixed(2))],
  ];
}

function dollarsPerMillion(report: Report): number {
  const redirects = report.traffic.redirectsPerSecond * MONTH_HOURS * 3_600;
  return totalDollars(report) / (redirects / 1e6);
}

function table(head: readonly string[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const alignment = `|${head.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`;
  return [line(head), alignment, ...rows.map(line)].join("\n");
}

function share(value: number): string {
  return value.toFixed(2);
}

/** A model is accurate to three digits at most. */
function written(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 2 });
}
