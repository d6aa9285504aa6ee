/**
 * The bill of a click, and of a link's first click: rows written, calls to its object, and dollars for a million
 * redirects; and other costs of a month.
 */
import type { Figure } from "./figures.ts";
import { fill, withLogServer } from "./log-object.ts";
import { type Bill, OBJECT_BYTES, upkeepDollars } from "../../src/core/costs/monthly-costs.ts";
import { PRICES, STORAGE_PRICES } from "../../src/core/costs/prices.ts";
import { dollarsPerMillion } from "../support/redirect-costs.ts";

const YEAR = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2026, 0, 1) };
/** A multiple of every batch, and of the log's blocks up to 8,192 clicks. */
const CLICKS = 409_600;

/** Targets by the number of clicks that go to the object together; none if the figures are for information. */
const TARGETS = [
  { size: 1, name: "a lone click", rows: "<= 1.01", dollars: "<= 1.55" },
  { size: 10, name: "a click of 10" },
  { size: 50, name: "a click of 50", rows: "<= 0.03", dollars: "<= 0.45" },
  { size: 200, name: "a click of 200" },
];

export async function rows(): Promise<Figure[]> {
  return withLogServer(async (server) => {
    const first = await fill(server, "first", { clicks: 1, batch: { exactly: 1 }, ...YEAR });
    const figures: Figure[] = [figure("rows written for the first click", first.rowsWritten, "rows", "<= 4")];
    for (const { size, name, ...targets } of TARGETS) {
      const filling = { clicks: CLICKS, batch: { exactly: size }, ...YEAR };
      const written = await fill(server, `batches-of-${size}`, filling);
      const [objectRequests, rowsRead, rowsWritten] = [written.calls, written.rowsRead, written.rowsWritten].map(
        (sum) => sum / written.clicks,
      ) as [number, number, number];
      const dollars = dollarsPerMillion({ objectRequests, rowsRead, rowsWritten });
      figures.push(
        figure(`rows written for ${name}`, rowsWritten, "rows", targets.rows),
        figure(`object requests for ${name}`, objectRequests, "calls"),
        figure(`a million redirects, each ${name}`, dollars, "dollars", targets.dollars),
      );
    }
    const stored = (1e6 * OBJECT_BYTES * STORAGE_PRICES.objects.perGb) / 1e9;
    figures.push(
      figure("objects of a million clicked links, stored for a month", stored, "dollars"),
      figure("cron jobs, reports and logs of 10 million visits", upkeepDollars(beyondIncluded, 10e6), "dollars"),
    );
    return figures;
  });
}

const beyondIncluded: Bill = (item, count) => (count / 1e6) * PRICES[item].perMillion;

function figure(name: string, value: number, unit: string, target?: string): Figure {
  return target === undefined ? { name, value, unit } : { name, value, unit, target };
}
