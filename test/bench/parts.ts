/** The parts of the benchmark, in the order in which they run. */
import type { Figure } from "./figures.ts";
import { account } from "./account.ts";
import { backtest } from "./backtest.ts";
import { bytes } from "./bytes.ts";
import { database } from "./database.ts";
import { erase } from "./erase.ts";
import { exports } from "./exports.ts";
import { filters } from "./filters.ts";
import { free } from "./free.ts";
import { growth } from "./growth.ts";
import { hot } from "./hot.ts";
import { cold, miss, spread } from "./many-links.ts";
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

export const PARTS: Record<string, (script: string) => Promise<Figure[]>> = {
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
