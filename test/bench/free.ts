/**
 * Workers' Free plan: CPU of each kind of request where it is answered, in the Worker, which may use 10 ms, or in an
 * object, which may use 30 s. Measures the first of its kind in new isolates, which have started already, and later
 * ones. Another test (test/store/calls.test.ts) covers the number of calls.
 */
import { UNSET_CONTENT } from "../../src/core/links/link-members.ts";
import { createLinks } from "../../src/store/links/link-creation.ts";
import { soleOutcome } from "../../src/store/directory/links-request.ts";
import { bundleModules } from "../support/bundle.ts";
import { type Figure, median } from "./figures.ts";
import { ownCpuMsOf } from "./inspector.ts";
import { type HoplinkServer, startHoplink } from "./server.ts";

const TIMES = 20;
const ROUNDS = Number(process.env["FREE_ROUNDS"] ?? 3);
const WORKER_MAX = "<= 10";
const OBJECT_MAX = "<= 30000";
const PASSWORD = "correct horse battery";
const LOGO =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'%3E%3Ccircle r='9' fill='%23c00'/%3E%3C/svg%3E";

/** Sends the i-th request of a kind. */
type Kind = (server: HoplinkServer, linkId: string, i: number) => Promise<unknown>;

const SLUG = "free";

const KINDS: Record<string, Kind> = {
  "a redirect": ({ url }) => get(`${url}/${SLUG}`),
  "an unknown slug": ({ url }, _, i) => get(`${url}/none-${i}`),
  "opening a stream": ({ url, api }) => openStream(url, api.key),
  "the cron job": ({ workerd }) => workerd.runCron("hoplink"),
  "POST /v1/links": ({ api }) => api.createLink(),
  "GET /v1/links": ({ api }) => api.call("GET", "/v1/links"),
  "PATCH /v1/links/{id}": ({ api }, id, i) => api.call("PATCH", `/v1/links/${id}`, { title: `title ${i}` }),
  "GET /v1/links/{id}/stats": ({ api }, id) => api.call("GET", `/v1/links/${id}/stats`),
  "bulk creation of 100": ({ api }, _, i) => api.createLinks(Array.from({ length: 100 }, (__, n) => `bulk${i}n${n}`)),
  "a code as PNG": ({ api }, id) => api.call("POST", "/v1/qr", { link_id: id }),
  "a code as SVG": ({ api }, id) => api.call("POST", "/v1/qr", { link_id: id, format: "svg" }),
  "a code of 1,024 px with a logo": ({ api }, id) =>
    api.call("POST", "/v1/qr", { link_id: id, size: 1_024, logo: LOGO }),
  "signing up": ({ url }, _, i) => authenticate(url, "sign-up", i),
  "signing in": ({ url }, _, i) => authenticate(url, "sign-in", i),
};

/** The requests that the Worker answers itself. Objects answer the others. */
const IN_WORKER = new Set(["a redirect", "an unknown slug", "opening a stream"]);

/** Clients open streams again every minute, and may reach a new isolate each time. */
const FIRST_TARGETS: Record<string, Pick<Figure, "target">> = { "opening a stream": { target: WORKER_MAX } };

export async function free(): Promise<Figure[]> {
  const script = await bundleModules("src/worker.ts");
  const figures: Figure[] = [];
  for (const [name, send] of Object.entries(KINDS)) {
    console.error(`  ${name} ...`);
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(script, send));
    const value = (column: number) => median(rounds.map((row) => row[column] ?? NaN));
    const isInWorker = IN_WORKER.has(name);
    const [part, target] = isInWorker ? ["Worker", WORKER_MAX] : ["object", OBJECT_MAX];
    const column = isInWorker ? 0 : 2;
    figures.push(
      { name: `free: ${name}: ${part}, first`, value: value(column), unit: "ms", ...FIRST_TARGETS[name] },
      { name: `free: ${name}: ${part}`, value: value(column + 1), unit: "ms", target },
    );
  }
  return figures;
}

/** CPU in ms, in new isolates: Worker first and later, objects first and later. */
async function measure(script: Awaited<ReturnType<typeof bundleModules>>, send: Kind): Promise<number[]> {
  const vars = { WORKERS_PLAN: "free", SIGNUPS: "open" };
  const server = await startHoplink(script, { inspectorPort: 0, objectsApart: true, vars });
  try {
    const linkId = await storedLink(server);
    if (send === KINDS["signing in"]) for (let i = 0; i <= TIMES; i++) await authenticate(server.url, "sign-up", i);
    const isolates = ["hoplink", "objects"];
    // The start of an isolate, which Cloudflare limits separately, and that of its profiler. All that a stream loads is
    // still new.
    if (send === KINDS["opening a stream"]) await ownCpuMsOf(server, isolates, () => get(`${server.url}/${SLUG}`));
    const first = await ownCpuMsOf(server, isolates, () => send(server, linkId, 0));
    const later = await ownCpuMsOf(server, isolates, async () => {
      for (let i = 1; i <= TIMES; i++) await send(server, linkId, i);
    });
    const [worker = NaN, objects = NaN] = later.map((ms) => ms / TIMES);
    return [first[0] ?? NaN, worker, first[1] ?? NaN, objects];
  } finally {
    await server.stop();
  }
}

/** Created in the database, so that the isolates have not run before the first request. */
async function storedLink({ database, accountId, url }: HoplinkServer): Promise<string> {
  const caller = { accountId, mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: accountId } as const;
  const content = { ...UNSET_CONTENT, url: "https://example.com/" };
  const wanted = { ...content, slug: SLUG, domain: new URL(url).host };
  const [done] = await createLinks({ DB: database } as Env, caller, { items: [wanted] });
  const outcome = soleOutcome(done);
  if (!("link" in outcome)) throw new Error("link not created");
  return outcome.link.id;
}

async function get(url: string): Promise<void> {
  await (await fetch(url, { redirect: "manual" })).arrayBuffer();
}

/** Opens a live stream, and leaves after its first bytes. */
async function openStream(url: string, key: string): Promise<void> {
  const left = new AbortController();
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/events/stream`, { headers, signal: left.signal });
  if (response.status !== 200) throw new Error(`stream: ${await response.text()}`);
  await response.body?.getReader().read();
  left.abort();
}

async function authenticate(url: string, path: "sign-up" | "sign-in", i: number): Promise<void> {
  const response = await fetch(`${url}/dashboard/api/auth/${path}/email`, {
    method: "POST",
    headers: {
      Origin: url,
      "Sec-Fetch-Site": "same-origin",
      "CF-Connecting-IP": `2001:db8:${i.toString(16)}::1`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ name: "Test User", email: `person-${i}@example.com`, password: PASSWORD }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${text}`);
}
