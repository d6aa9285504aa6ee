/** The measurements of an installation, each with the value from the documentation. */
import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import { openApiDocument } from "../../api/openapi/openapi.ts";
import { v1Routes } from "../../api/urls.ts";
import { Hoplink, type Link } from "../../client/index.ts";
import costs from "../../core/costs/measured.json" with { type: "json" };
import { REDIRECT_CPU_MS } from "../../core/costs/prices.ts";
import { withOwnHost } from "../../core/deployment/sample-host.ts";
import { hostsOf, streamLimits } from "../../core/deployment/settings.ts";
import { HOME_DATABASE } from "../../core/links/buckets.ts";
import { UNSET_CONTENT } from "../../core/links/link-members.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { type Caller, issueKey, revokeKey } from "../../store/accounts/api-keys.ts";
import type { LinksEnv } from "../../store/directory/databases.ts";
import { soleOutcome } from "../../store/directory/links-request.ts";
import { createLinks } from "../../store/links/link-creation.ts";
import { updateLink } from "../../store/links/links.ts";
import { CloudflareApiError, databaseOver } from "../cloudflare/api.ts";
import type { CloudConnection } from "../deployment/account.ts";
import { type Connection, databasePath, executeSql } from "../deployment/connection.ts";
import type { Dialog } from "../deployment/dialog.ts";
import { requestHost } from "../deployment/host-request.ts";
import type { FirstDayOptions } from "../deployment/options.ts";
import { operationsOf } from "../docs/reference.ts";
import { curlSample, pythonSample, sampleRequest, typescriptSample } from "../docs/samples.ts";
import type { Names } from "./removal.ts";

/** A line of the report. `agrees`: whether it matches the documentation; undefined: whether the values are equal. */
export type Measurement = [what: string, measured: string | number, documented?: string | number, agrees?: boolean];

export interface FirstDay {
  cloud: CloudConnection;
  names: Names;
  options: FirstDayOptions;
  dialog: Dialog;
  /** Aborted by Ctrl-C, and when everything is measured. */
  signal: AbortSignal;
}

/** The installation of a run. */
export interface Measured extends FirstDay {
  connection: Connection;
  databaseId: string;
  /** For the store's functions for operators. */
  rows: LinksEnv;
  isFree: boolean;
  accountId: string;
  /** The account's key. */
  key: string;
  /** When the run began, epoch ms. */
  since: number;
  /** Clicks by link. */
  clicks: Map<string, number>;
  /** Requests for statistics, each of which makes one to a link's object. */
  reads: { count: number };
}

const DESTINATION = "https://example.com/";
const UNKNOWN = "unknown";
/** A human user agent: clicks of declared bots are counted separately. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const VISITORS = 20;
const VISITS_MAX_MS = 60_000;
const COUNTED_WITHIN_MS = 60_000;
const COUNT_POLL_MS = 1_000;
const ANALYTICS_WITHIN_MS = 10 * MINUTE_MS;
const POLL_MS = 10_000;
const SAMPLE_TIMEOUT_MS = 30_000;
/** The package that samples import, before it is published. */
const CLIENT = new URL("../../client/index.ts", import.meta.url).href;

/** Samples cannot set the host: with `EDGE_ADDRESS`, the server there identifies the installation without it. */
function originOf({ connection }: Measured): string {
  return process.env.EDGE_ADDRESS ? `http://${process.env.EDGE_ADDRESS}` : connection.baseUrl;
}

function clientOf(measured: Measured, apiKey = measured.key): Hoplink {
  return new Hoplink({ apiKey, baseUrl: originOf(measured) });
}

/** Follows a link. @returns whether it was redirected */
async function visit({ clicks }: Measured, { id, short_url }: Link): Promise<boolean> {
  const reply = await requestHost(short_url, { headers: { "User-Agent": USER_AGENT } }).catch(() => null);
  if (reply?.status === 302) clicks.set(id, (clicks.get(id) ?? 0) + 1);
  return reply?.status === 302;
}

/** Where Cloudflare has placed the database, and which of its locations responds here. */
export async function measurePlaces({ connection, databaseId }: Measured): Promise<Measurement[]> {
  const { api, account, baseUrl } = connection;
  const [result] = await executeSql(connection, databaseId, "SELECT 1");
  const { running_in_region: region } = await api.get<Record<string, string>>(databasePath(account, databaseId));
  const trace = await requestHost(`${baseUrl}/cdn-cgi/trace`).catch(() => null);
  return [
    ["Region of the database", region ?? UNKNOWN],
    ["Region that served a query", result?.meta.served_by_region ?? UNKNOWN],
    ["The primary serves queries without a session", String(result?.meta.served_by_primary ?? UNKNOWN), "true"],
    ["Cloudflare location nearest to this machine", /^colo=(\w+)$/m.exec(trace?.body ?? "")?.[1] ?? UNKNOWN],
  ];
}

/** Rows that the database bills: the service's own statements, executed by the API, which reports their number. */
export async function measureRows({ connection, databaseId, accountId }: Measured): Promise<Measurement[]> {
  let written = 0;
  const metered = databaseOver(async (sql) => {
    const results = await executeSql(connection, databaseId, sql);
    for (const { meta } of results) written += meta.rows_written;
    return results;
  });
  // The links are never visited, so no object has to learn of a change.
  const objects = { getByName: () => ({ learn: async () => ({ kind: "learned" }) }) };
  const settings = connection.deployed.variables;
  const env = { ...settings, [HOME_DATABASE]: metered, LINK_CLICKS: objects } as unknown as Env;
  const caller: Caller = { accountId, mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: accountId };
  const domain = hostsOf(settings, connection.baseUrl).shortDomains.live;
  const link = { ...UNSET_CONTENT, slug: null, domain, url: DESTINATION };
  const create = async () => {
    written = 0;
    const [done] = await createLinks(env, caller, { items: [link] });
    const outcome = soleOutcome(done);
    if (!("link" in outcome)) throw new Error("the link was refused");
    return { id: outcome.link.id, created: written };
  };
  // An account's first link writes more, once.
  await create();
  const { id, created } = await create();
  written = 0;
  const background: Promise<unknown>[] = [];
  const ctx = { waitUntil: (work: Promise<unknown>) => void background.push(work) };
  await updateLink(env, ctx, caller, id, { url: `${DESTINATION}changed` }, null);
  await Promise.all(background);
  return [
    ["Rows written to create a link", created, costs["rows written to create a link"]],
    ["Rows written to change a link", written, costs["rows written to change a link"]],
  ];
}

/** A sample of the documentation in each language, run as a reader would paste it. */
export async function measureSamples(measured: Measured): Promise<Measurement[]> {
  const operation = operationsOf(openApiDocument(v1Routes)).find((one) => one.operationId === "getMe");
  if (!operation) throw new Error("the documentation has no sample");
  const request = sampleRequest(operation);
  const node = (await typescriptSample(request)).replace('"hoplink"', JSON.stringify(CLIENT));
  const samples: [name: string, program: string, options: string[], code: string][] = [
    ["curl", "bash", ["-c"], curlSample(request)],
    ["Node", process.execPath, ["--no-warnings", "--input-type=module-typescript", "-e"], node],
    ["Python", "python3", ["-c"], pythonSample(request)],
  ];
  const { key: KEY, signal } = measured;
  const environment = { env: { ...process.env, KEY }, timeout: SAMPLE_TIMEOUT_MS, signal };
  const runs = samples.map(async ([name, program, options, code]): Promise<Measurement> => {
    const args = [...options, withOwnHost(code, originOf(measured))];
    const ended = await promisify(execFile)(program, args, environment).catch((error: unknown) => error);
    const { code: exitCode, stdout = "", stderr = "" } = ended as Ended;
    if (exitCode === "ENOENT" || stderr.includes("command not found")) return [name, "not installed"];
    // curl succeeds for any response.
    if (/\bplan["']?:/.test(stdout)) return [name, "succeeded", "succeeded"];
    return [name, `${stdout}${stderr}`.trim().split("\n").at(-1)?.slice(0, 200) || "no output", "succeeded"];
  });
  return Promise.all(runs);
}

type Ended = Partial<Record<"code" | "stdout" | "stderr", string>>;

/** How fast redirects are from here, and whether each is counted. */
export async function measureRedirects(measured: Measured): Promise<Measurement[]> {
  const { options, signal } = measured;
  const { links } = clientOf(measured);
  const link = await links.create({ url: DESTINATION }, { signal });
  const times: number[] = [];
  let [left, failed] = [options.requests, 0];
  const begun = performance.now();
  const follow = async () => {
    while (left-- > 0 && performance.now() - begun < VISITS_MAX_MS && !signal.aborted) {
      const sent = performance.now();
      if (await visit(measured, link)) times.push(performance.now() - sent);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, follow));
  const seconds = (performance.now() - begun) / 1_000;
  const percentile = (percent: number) => {
    const time = times.toSorted((a, b) => a - b)[Math.ceil((times.length * percent) / 100) - 1];
    return time === undefined ? UNKNOWN : `${time.toFixed(1)} ms`;
  };
  const read = async () => {
    measured.reads.count += 1;
    return (await links.stats(link.id, {}, { signal })).total;
  };
  let total = await read();
  const deadline = performance.now() + COUNTED_WITHIN_MS;
  for (; total < times.length && performance.now() < deadline; total = await read())
    await pause(COUNT_POLL_MS, undefined, { signal });
  // A click that is counted twice may arrive later.
  await pause(COUNT_POLL_MS, undefined, { signal });
  total = await read();
  return [
    [`Median time of ${times.length} redirects, ${VISITORS} at a time`, percentile(50)],
    ["99th percentile", percentile(99)],
    ["Redirects per second", Math.round(times.length / seconds)],
    ["Failed redirects", failed, 0],
    ["Clicks counted", total, times.length],
  ];
}

const USAGE_QUERY = `query ($account: string!, $script: string!, $namespace: string!, $from: string!, $to: string!) {
  viewer { accounts(filter: { accountTag: $account }) {
    workersInvocationsAdaptive(limit: 1, filter: { scriptName: $script, datetime_geq: $from, datetime_leq: $to }) { sum { requests errors } quantiles { cpuTimeP50 cpuTimeP99 } }
    durableObjectsPeriodicGroups(limit: 1, filter: { namespaceId: $namespace, datetime_geq: $from, datetime_leq: $to }) { sum { rowsWritten } }
    durableObjectsInvocationsAdaptiveGroups(limit: 1, filter: { namespaceId: $namespace, datetime_geq: $from, datetime_leq: $to }) { sum { requests } }
  } }
}`;

interface Usage {
  /** `quantiles` in microseconds. */
  workersInvocationsAdaptive: Record<"sum" | "quantiles", Record<string, number>>[];
  durableObjectsPeriodicGroups: Record<"sum", Record<string, number>>[];
  durableObjectsInvocationsAdaptiveGroups: Record<"sum", Record<string, number>>[];
}

/** Cloudflare's billed usage, from its analytics, which lag by minutes. */
export async function measureUsage(measured: Measured): Promise<Measurement[]> {
  const { clicks, reads } = measured;
  const redirects = [...clicks.values()].reduce((sum, count) => sum + count, 0);
  const usage = await readUsage(measured, redirects);
  const [worker] = usage.workersInvocationsAdaptive;
  if (!worker) throw new Error(`Analytics are still not available after ${ANALYTICS_WITHIN_MS / MINUTE_MS} minutes`);
  const { requests = NaN, errors = NaN } = worker.sum;
  const { cpuTimeP50 = NaN, cpuTimeP99 = NaN } = worker.quantiles;
  const median = cpuTimeP50 / 1_000;
  const rowsWritten = usage.durableObjectsPeriodicGroups[0]?.sum.rowsWritten;
  const calls = usage.durableObjectsInvocationsAdaptiveGroups[0]?.sum.requests;
  const callsMax = redirects + reads.count;
  const first = clicks.size * costs["rows written for the first click"];
  const most = Math.ceil(first + (redirects - clicks.size) * costs["rows written for a lone click"]);
  return [
    [`Worker requests, including ${redirects} redirects`, requests],
    ["Failed requests", errors, 0],
    ["CPU time per request, median", `${median} ms`, `at most ${REDIRECT_CPU_MS} ms`, median <= REDIRECT_CPU_MS],
    ["CPU time per request, 99th percentile", `${cpuTimeP99 / 1_000} ms`],
    rowsWritten === undefined
      ? ["Rows written for clicks", "not yet available"]
      : [`Rows written for clicks on ${clicks.size} links`, rowsWritten, `at most ${most}`, rowsWritten <= most],
    calls === undefined
      ? ["Requests to the objects of links", "not yet available"]
      : [
          `Requests to the objects of links, for ${redirects} redirects and ${reads.count} reads`,
          calls,
          `at most ${callsMax}`,
          calls <= callsMax,
        ],
  ];
}

/** @returns the usage once it includes at least this many requests, or the usage at the time limit */
async function readUsage({ connection, since, signal, dialog }: Measured, redirects: number): Promise<Usage> {
  const { api, account, name: script, deployed } = connection;
  const namespace = deployed.bindings.find(({ name }) => name === "LINK_CLICKS")?.namespace_id ?? "";
  const from = new Date(since).toISOString();
  for (const end = performance.now() + ANALYTICS_WITHIN_MS; ; await pause(POLL_MS, undefined, { signal })) {
    const variables = { account: account.id, script, namespace, from, to: new Date().toISOString() };
    const answer = await api
      .graphql<{ viewer: { accounts: Usage[] } }>(USAGE_QUERY, variables)
      .catch((error: unknown) => {
        const mayPass = error instanceof CloudflareApiError && (error.status === 0 || error.status >= 500);
        if (!mayPass || performance.now() > end) throw error;
        return null;
      });
    if (!answer) continue;
    const [usage] = answer.viewer.accounts;
    if (!usage) throw new Error("The token lacks the permission Account Analytics (read)");
    const known = usage.workersInvocationsAdaptive[0]?.sum.requests ?? 0;
    const hasRows = usage.durableObjectsPeriodicGroups.length > 0;
    if ((known >= redirects && hasRows) || performance.now() > end) return usage;
    dialog.note(`    analytics show ${known} of ${redirects} requests`);
  }
}

/** Revokes the key in the middle of a connection, not when one would end anyway. */
const MINUTES = { free: 1.5, paid: 70 };
const VISIT_EVERY_MS = 15_000;
const REVOKED_WITHIN_S = 10;
/** Maximum wait for the stream to begin, to show its clicks, and to end. */
const WAITS_MAX_MS = 90_000;
const STREAM_POLL_MS = 100;

/** Follows a live stream until its key is revoked: its events, and how long it lasts after that. */
export async function measureStream(measured: Measured): Promise<Measurement[]> {
  const { connection, rows, accountId, options, isFree, signal, dialog } = measured;
  const { lifetimeMs } = streamLimits(connection.deployed.variables);
  const minutes = options.streamMinutes ?? MINUTES[isFree ? "free" : "paid"];
  const { text, record } = await issueKey(rows, accountId, { mode: "live", name: "Stream", scopes: ["events:read"] });
  const link = await clientOf(measured).links.create({ url: DESTINATION }, { signal });
  const seen = { connections: 0, clicks: 0, endedAt: 0, refusal: null as unknown };
  const onReconnect = () => (seen.endedAt = performance.now());
  const follow = async () => {
    for await (const { type } of clientOf(measured, text).events.stream({ signal, onReconnect })) {
      if (type === "ready") seen.connections += 1;
      if (type === "click") seen.clicks += 1;
    }
  };
  void follow().catch((error: unknown) => (seen.refusal = error));
  const waitFor = async (what: string, holds: () => boolean) => {
    for (const end = performance.now() + WAITS_MAX_MS; !holds(); await pause(STREAM_POLL_MS, undefined, { signal }))
      if (seen.refusal !== null || performance.now() > end)
        throw new Error(`the stream has not ${what}: ${String(seen.refusal ?? "no error")}`);
  };
  await waitFor("started", () => seen.connections > 0);

  let [visits, noted] = [0, performance.now()];
  const end = performance.now() + minutes * MINUTE_MS;
  do {
    if (await visit(measured, link)) visits += 1;
    await pause(Math.max(Math.min(VISIT_EVERY_MS, end - performance.now()), 0), undefined, { signal });
    if (performance.now() - noted < MINUTE_MS) continue;
    noted = performance.now();
    dialog.note(`    ${Math.ceil((end - noted) / MINUTE_MS)} minutes left: ${seen.clicks} of ${visits} clicks seen`);
    // Timers may fire a little early.
  } while (seen.refusal === null && performance.now() < end - STREAM_POLL_MS);
  // Fewer clicks are a finding. A stream that has ended says nothing about its revocation.
  await waitFor("delivered all clicks", () => seen.clicks >= visits).catch(() => {});
  if (seen.refusal !== null) throw seen.refusal;

  const revokedAt = performance.now();
  await revokeKey(rows, record.id, accountId);
  await waitFor("ended", () => seen.refusal !== null);
  // Its lifetime may have ended just before.
  const seconds = Math.max(seen.endedAt - revokedAt, 0) / 1_000;
  return [
    [
      "Time until the stream of a revoked key ends",
      `${seconds.toFixed(1)} s`,
      `at most ${REVOKED_WITHIN_S} s`,
      seconds <= REVOKED_WITHIN_S,
    ],
    ["Clicks received by the stream", seen.clicks, visits],
    [`Connections in ${minutes} minutes`, seen.connections, Math.ceil((minutes * MINUTE_MS) / lifetimeMs)],
  ];
}
