/**
 * `npm run bench`: how fast and how dear, as ratios to a floor measured in the same run.
 * `-- --only hot,stats` picks parts; `-- --out FILE` writes the figures as JSON; `-- --keep` keeps those that prices use.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { bundle } from "../support/bundle.ts";
import { account } from "./account.ts";
import { backtest } from "./backtest.ts";
import { bytes } from "./bytes.ts";
import { database } from "./database.ts";
import { erase } from "./erase.ts";
import { exports } from "./exports.ts";
import { type Figure, isMet, formatTable } from "./figures.ts";
import { filters } from "./filters.ts";
import { free } from "./free.ts";
import { growth } from "./growth.ts";
import { hot } from "./hot.ts";
import { cold, miss, spread } from "./many-links.ts";
import { keepFigures } from "./kept-figures.ts";
import { memory } from "./memory.ts";
import { paint } from "./paint.ts";
import { qr } from "./qr.ts";
import { reads } from "./reads.ts";
import { rows } from "./rows.ts";
import { soak } from "./soak.ts";
import { senders } from "./senders.ts";
import { startup } from "./startup.ts";
import { stats } from "./stats.ts";
import { stream } from "./stream.ts";
import { worst } from "./worst.ts";

const PARTS: Record<string, (script: string) => Promise<Figure[]>> = {
  hot,
  spread,
  cold,
  miss,
  stats,
  filters,
  backtest,
  account,
  bytes,
  rows,
  database,
  reads,
  senders,
  erase,
  growth,
  memory,
  exports,
  soak,
  qr,
  worst,
  startup,
  stream,
  free,
  paint,
};

const { values } = parseArgs({
  options: { only: { type: "string" }, out: { type: "string" }, keep: { type: "boolean", default: false } },
});
const chosen = values.only?.split(",") ?? Object.keys(PARTS);

const script = await bundle();
const figures: Figure[] = [];
try {
  for (const name of chosen) {
    const part = PARTS[name];
    if (!part) throw new Error(`No part is called ${name}: choose from ${Object.keys(PARTS).join(", ")}`);
    console.error(`${name} ...`);
    figures.push(...(await part(script)));
  }
} finally {
  // Also when a part fails: the parts before it took minutes.
  console.log(formatTable(figures));
  if (values.out) {
    const named = figures.map((figure) => ({ ...figure, target: figure.target ?? null, ok: isMet(figure) }));
    writeFileSync(values.out, JSON.stringify({ figures: named }, null, 2));
  }
}
if (values.keep) keepFigures(figures);
process.exitCode = figures.every(isMet) ? 0 : 1;
