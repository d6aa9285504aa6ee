/**
 * Downloads of the statistics: exact numbers as CSV, safe from formula injection, and cards as PNG, in the menu of each
 * card. Also the clicks themselves, which the browser saves as they arrive.
 */
import { Menu } from "@mantine/core";
import { type ReactNode, type Ref, useRef } from "react";

import type { Mode } from "../../../../core/account.ts";
import type { RowFormat } from "../../../../core/clicks/protocol/link-object-rpc.ts";
import type { AccountGrouping } from "../../../../core/clicks/counting/groupings.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { ApiError, okResponse } from "../../../api/api-error.ts";
import { API_PATH } from "../../../early-loads.ts";
import { IconButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { loadPart } from "../../../components/lazy-part.tsx";
import { downloadFile, followDownload } from "../../../files/download.ts";
import { formatWeekday } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { notifyError } from "../../../notifications.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { bucketName } from "./bucket-names.ts";
import type { StatsParams } from "./stats-params.ts";
import { filtersQuery } from "./stats-query.ts";
import { timeBounds, timeBoundsQuery } from "./time-range.ts";
import type { SeriesColumn } from "./series-chart.tsx";
import type { StatsSubject } from "./use-stats.ts";

interface CardDownloadsProps {
  /** The card's title. */
  name: string;
  /** Name of the picture's file, without its extension. */
  file: string;
  /** Undefined while there are no numbers. */
  saveCsv: (() => Promise<void>) | undefined;
  /** In `DownloadableCard` the card's content, in `CardDownloads` more items of the menu. */
  children?: ReactNode;
}

export function CardDownloads({ name, file, saveCsv, children }: CardDownloadsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const savePicture = () =>
    reportFailure(async () => {
      const card = button.current?.closest("section");
      const { cardImage } = await loadPart(() => import("./card-image.ts"));
      if (card) downloadFile(`${file}.png`, await cardImage(card));
    });
  return (
    <Menu>
      <Menu.Target>
        <IconButton
          ref={button}
          color="brand"
          data-not-in-image
          label={texts.downloadCard(name)}
          sign={icon("download", 16)}
          disabled={saveCsv === undefined}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void saveCsv?.()}>{texts.saveCsv}</Menu.Item>
        <Menu.Item onClick={() => void savePicture()}>{texts.savePicture}</Menu.Item>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}

interface DownloadableCardProps extends CardDownloadsProps {
  description?: string;
  ref?: Ref<HTMLElement>;
}

/** A card of the statistics, with the menu of its downloads. */
export function DownloadableCard({ name, file, saveCsv, children, ...card }: DownloadableCardProps) {
  const menu = <CardDownloads name={name} file={file} saveCsv={saveCsv} />;
  return (
    <TitledCard isTile order={3} title={name} action={menu} {...card}>
      {children}
    </TitledCard>
  );
}

export function downloadSeries(
  subject: StatsSubject,
  { series, interval }: Stats,
  columns: readonly SeriesColumn[],
): Promise<void> {
  const rows = series.map((bin) => ({
    start: bin.start,
    ...Object.fromEntries(columns.map(({ name, countOf }) => [FILE_COLUMNS[name], countOf(bin) ?? ""])),
  }));
  return saveCsv(`${subject.name}-clicks-by-${interval}.csv`, rows);
}

const FILE_COLUMNS = { clicks: "clicks", visitors: "visitors", before: "clicks_before" };

export function downloadBuckets(subject: StatsSubject, grouping: AccountGrouping, { buckets }: Stats): Promise<void> {
  const rows = buckets.map(({ key, name = bucketName(grouping, key), clicks }) => ({ [grouping]: key, name, clicks }));
  return saveCsv(`${subject.name}-${grouping.replaceAll("_", "-")}.csv`, rows);
}

/** @param heat  a row of 24 hours for each weekday from Monday */
export function downloadHeat(subject: StatsSubject, heat: readonly number[][]): Promise<void> {
  const rows = heat.flatMap((hours, day) =>
    hours.map((clicks, hour) => ({ weekday: formatWeekday(day, "long"), hour, clicks })),
  );
  return saveCsv(`${subject.name}-busiest-hours.csv`, rows);
}

/**
 * Every click of the range that matches the filters. A first request, which is canceled, finds out whether there is a
 * file to save: a download cannot report to the page why it failed.
 */
export async function downloadClicks(id: string, params: StatsParams, mode: Mode, format: RowFormat): Promise<void> {
  const bounds = timeBoundsQuery(timeBounds(params.range, params.zone, Date.now()));
  const query = new URLSearchParams({ ...bounds, ...filtersQuery(params.filters) });
  const url = `${API_PATH}/downloads/${mode}/links/${id}/clicks/${format}?${query}`;
  try {
    const { body } = await okResponse(fetch(url));
    await body?.cancel();
    followDownload(url, "");
  } catch (error) {
    const isTooLong = error instanceof ApiError && error.param === "limit";
    notifyError(texts.downloadFailed, isTooLong ? new Error(texts.tooManyToDownload) : error);
  }
}

async function saveCsv(name: string, rows: readonly object[]): Promise<void> {
  await reportFailure(async () => {
    const { csvFile, toCsv } = await loadPart(() => import("../../../files/csv.ts"));
    downloadFile(name, csvFile(toCsv(rows), "\n"));
  });
}

async function reportFailure(save: () => Promise<void>): Promise<void> {
  try {
    await save();
  } catch (error) {
    notifyError(texts.downloadFailed, error);
  }
}
