/**
 * Begins the first report of the isolate, so that no test waits two seconds for it, as who waits for all that a request
 * leaves behind would. It fails: what was counted stays.
 */
import { env } from "cloudflare:workers";

import { reportIfDue } from "../../src/store/metrics/isolate-metrics.ts";

const MAINTENANCE = { getByName: () => ({ addMetrics: () => Promise.reject(new Error("not now")) }) };

reportIfDue({ ...env, MAINTENANCE: MAINTENANCE as unknown as Env["MAINTENANCE"] }, { waitUntil: () => {} });
