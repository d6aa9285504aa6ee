/**
 * The counts of the deployment's isolates, one row per minute of the last eight days: a few megabytes at most. Isolates
 * report every minute or less often, so a minute also includes earlier counts.
 */
import { DAY_MS, MINUTE_MS } from "../core/time.ts";
import {
  METRIC_NAMES,
  type MetricCounts,
  METRICS,
  type MetricsReport,
  nextIntervalMs,
  parseCounts,
} from "../core/metrics/metrics.ts";

/** The longest period shown, plus a day. */
const KEPT_MS = 8 * DAY_MS;

export class MetricsTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS metrics (minute INTEGER PRIMARY KEY, reports INTEGER NOT NULL)");
    const columns = new Set(
      sql
        .exec<{ name: string }>("SELECT name FROM pragma_table_info('metrics')")
        .toArray()
        .map(({ name }) => name),
    );
    for (const name of METRIC_NAMES) {
      if (!columns.has(name)) sql.exec(`ALTER TABLE metrics ADD COLUMN ${name} INTEGER NOT NULL DEFAULT 0`);
    }
  }

  /**
   * @param now  epoch ms
   * @returns when the isolate reports again, in ms
   */
  add(report: MetricsReport, now: number): number {
    const minute = Math.floor(now / MINUTE_MS);
    const counts = parseCounts(report.counts);
    const { reports } = this.#sql
      .exec<{ reports: number }>(UPSERT, minute, ...METRIC_NAMES.map((name) => counts[name]))
      .one();
    if (reports === 1) this.#sql.exec("DELETE FROM metrics WHERE minute < ?", minute - KEPT_MS / MINUTE_MS);
    return nextIntervalMs(Math.max(reports, this.#reportsOf(minute - 1)), report.intervalMs);
  }

  /** Returns everything counted since the minute of `from`, epoch ms. */
  read(from: number): MetricCounts {
    return parseCounts(this.#sql.exec(TOTALS, Math.floor(from / MINUTE_MS)).one());
  }

  #reportsOf(minute: number): number {
    const [row] = this.#sql.exec<{ reports: number }>("SELECT reports FROM metrics WHERE minute = ?", minute).toArray();
    return row?.reports ?? 0;
  }
}

const ADDED = METRIC_NAMES.map((name) =>
  METRICS[name] === "max" ? `${name} = max(${name}, excluded.${name})` : `${name} = ${name} + excluded.${name}`,
);

const UPSERT = `
  INSERT INTO metrics (minute, reports, ${METRIC_NAMES.join(", ")})
  VALUES (?, 1, ${METRIC_NAMES.map(() => "?").join(", ")})
  ON CONFLICT (minute) DO UPDATE SET reports = reports + 1, ${ADDED.join(", ")}
  RETURNING reports`;

const TOTALS = `
  SELECT ${METRIC_NAMES.map((name) => `${METRICS[name]}(${name}) AS ${name}`).join(", ")} FROM metrics WHERE minute >= ?`;
