/**
 * Statistics of an account with ten thousand links and ten million clicks: how long its past takes to be read at the
 * first question, and what later questions over ranges by chance take in the account's object.
 */
import { ACCOUNT_GROUPINGS, type AccountStatsRequest } from "../../src/core/clicks/account-stats.ts";
import type { AccountStatsQuestion } from "../../src/core/clicks/account-object-rpc.ts";
import { DAY_MS } from "../../src/core/durations.ts";
import { bundle } from "../support/bundle.ts";
import { randomInteger, seededRandom } from "../support/seeded-random.ts";
import type { AccountFill, MeasuredAnswer } from "./account-worker.ts";
import { type Figure, median } from "./figures.ts";
import { cpuSeconds, type HoplinkServer, startHoplink } from "./server.ts";

const LINKS = 10_000;
const LINK_CLICKS = 1_000;
const DAYS = 60;
const FILLED_LINKS_AT_ONCE = 100;
const QUESTIONS = 15;
const POLL_MS = 200;
const FILLING_TIMEOUT_MS = 600_000;

interface Range {
  from: number;
  to: number;
}

export async function account(): Promise<Figure[]> {
  const server = await startHoplink(await bundle("test/bench/account-worker.ts"));
  try {
    const to = Date.now();
    const past = { from: to - DAYS * DAY_MS, to };
    await fillLinks(server, past);
    const filling = await readPast(server, past);
    return [...filling, ...(await figuresOfQuestions(server, past))];
  } finally {
    await server.stop();
  }
}

async function fillLinks({ api, accountId, url }: HoplinkServer, past: Range): Promise<void> {
  const slugs = Array.from({ length: LINKS }, (_, i) => `counted-${i}`);
  const ids = await api.createLinks(slugs);
  const { host: domain } = new URL(url);
  const all = slugs.map((slug, i) => ({ accountId, id: ids[i] ?? "", domain, slug }));
  for (let i = 0; i < LINKS; i += FILLED_LINKS_AT_ONCE) {
    const filling: AccountFill = { links: all.slice(i, i + FILLED_LINKS_AT_ONCE), clicks: LINK_CLICKS, ...past };
    await post(url, "/.fill", filling);
  }
}

/** Asks until the answer has everything, as a page does that shows the progress. */
async function readPast({ api, pid }: HoplinkServer, { from }: Range): Promise<Figure[]> {
  const [startedAt, cpu] = [performance.now(), cpuSeconds(pid)];
  const path = `/v1/stats?include_bots=true&from=${new Date(from).toISOString()}`;
  for (;;) {
    const { progress, total } = (await api.call("GET", path)) as { progress?: number; total: number };
    const ms = performance.now() - startedAt;
    if (progress === undefined) {
      if (total !== LINKS * LINK_CLICKS) throw new Error(`${total} of ${LINKS * LINK_CLICKS} clicks were counted`);
      return [
        {
          name: "10 million clicks of 10,000 links, read at the first question",
          value: ms / 1_000,
          unit: "s",
          target: "<= 60",
        },
        { name: "the same, CPU of all objects", value: cpuSeconds(pid) - cpu, unit: "s" },
      ];
    }
    if (ms > FILLING_TIMEOUT_MS) throw new Error(`not read after ${ms} ms, progress ${progress}`);
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function figuresOfQuestions(server: HoplinkServer, past: Range): Promise<Figure[]> {
  const chance = seededRandom(1);
  const slowest = { ms: 0, groupBy: "" };
  const most = { rows: 0, groupBy: "" };
  for (const groupBy of ACCOUNT_GROUPINGS) {
    const answers = await answersOf(server, past, chance, { groupBy });
    const [ms, rows] = [
      median(answers.map((answer) => answer.ms)),
      Math.max(...answers.map(({ rowsRead }) => rowsRead)),
    ];
    if (ms >= slowest.ms) Object.assign(slowest, { ms, groupBy });
    if (rows >= most.rows) Object.assign(most, { rows, groupBy });
  }
  const filters: AccountStatsRequest["filters"] = [
    { grouping: "country", values: ["AA", "BA"] },
    { grouping: "device", values: ["mobile"] },
  ];
  const filtered = await answersOf(server, past, chance, { groupBy: "city", filters });
  return [
    { name: `slowest grouping, median (${slowest.groupBy})`, value: slowest.ms, unit: "ms", target: "<= 150" },
    { name: `most rows read by an answer (${most.groupBy})`, value: most.rows, unit: "rows", target: "<= 500" },
    { name: "under two filters, median", value: median(filtered.map(({ ms }) => ms)), unit: "ms" },
  ];
}

async function answersOf(
  { accountId, url }: HoplinkServer,
  past: Range,
  chance: () => number,
  asked: Pick<AccountStatsRequest, "groupBy" | "filters">,
): Promise<MeasuredAnswer[]> {
  const answers: MeasuredAnswer[] = [];
  for (let i = 0; i < QUESTIONS; i++) {
    const [one, other] = [randomInteger(chance, past.to - past.from), randomInteger(chance, past.to - past.from)];
    const question: AccountStatsQuestion = {
      accountId,
      mode: "live",
      tagChanges: 0,
      request: {
        ...asked,
        from: past.from + Math.min(one, other),
        to: past.from + Math.max(one, other),
        interval: null,
        timezone: "Europe/Zurich",
        includeBots: false,
      },
    };
    answers.push((await (await post(url, "/.measure", question)).json()) as MeasuredAnswer);
  }
  return answers;
}

async function post(url: string, path: string, body: unknown): Promise<Response> {
  const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
