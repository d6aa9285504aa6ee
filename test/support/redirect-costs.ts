import { CALL_GB_SECONDS, LOOK_UP_ROWS, PRICES, REDIRECT_CPU_MS } from "../../src/core/costs/prices.ts";

/** Usage of one redirect in addition to the Worker and its look-up. */
interface ClickUsage {
  objectRequests: number;
  rowsRead: number;
  rowsWritten: number;
}

/** Dollars for a million redirects, beyond the included usage. */
export function dollarsPerMillion({ objectRequests, rowsRead, rowsWritten }: ClickUsage): number {
  const worker = PRICES.workerRequests.perMillion + REDIRECT_CPU_MS * PRICES.workerCpuMs.perMillion;
  const call = PRICES.objectRequests.perMillion + CALL_GB_SECONDS * PRICES.objectGbSeconds.perMillion;
  const rows = (rowsRead + LOOK_UP_ROWS) * PRICES.rowsRead.perMillion + rowsWritten * PRICES.rowsWritten.perMillion;
  return worker + objectRequests * call + rows;
}
