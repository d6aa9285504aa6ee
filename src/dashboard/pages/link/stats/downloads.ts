/** Files of what the statistics show: exact numbers as CSV, which no spreadsheet takes for formulas, and the chart as PNG. */
import type { Grouping } from "../../../../core/clicks/groupings.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { notifyError } from "../../../notifications.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { bucketName } from "./bucket-names.ts";

export function downloadSeries(link: Link, { series, interval }: Stats, before: Stats | undefined): Promise<void> {
  const rows = series.map(({ start, clicks }, index) => ({
    start,
    clicks,
    ...(before ? { clicks_before: before.series[index]?.clicks ?? "" } : {}),
  }));
  return saveCsv(`${link.slug}-clicks-by-${interval}.csv`, rows);
}

export function downloadBuckets(link: Link, grouping: Grouping, { buckets }: Stats): Promise<void> {
  const rows = buckets.map(({ key, clicks }) => ({ [grouping]: key, name: bucketName(grouping, key), clicks }));
  return saveCsv(`${link.slug}-${grouping.replaceAll("_", "-")}.csv`, rows);
}

export async function downloadChart(link: Link, chart: HTMLElement): Promise<void> {
  await reportFailure(async () => {
    const { chartImage } = await import("./chart-image.ts");
    saveFile(`${link.slug}-clicks.png`, await chartImage(chart));
  });
}

async function saveCsv(name: string, rows: readonly object[]): Promise<void> {
  await reportFailure(async () => {
    const { csvOf } = await import("./csv-rows.ts");
    // With the mark, Excel reads UTF-8.
    saveFile(name, new Blob(["\uFEFF", csvOf(rows)], { type: "text/csv;charset=utf-8" }));
  });
}

async function reportFailure(save: () => Promise<void>): Promise<void> {
  try {
    await save();
  } catch (error) {
    notifyError(texts.downloadFailed, error);
  }
}

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The browser has taken the content by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
