/**
 * Statistics of an account with ten thousand links and ten million clicks: how long the first query takes to read past
 * clicks, how long later queries over random ranges take in the account's object, and the charges for the clicks of
 * an account that queries statistics compared with one that does not.
 */
import { MERGED_PIECE_CLICKS } from "../../src/clicks/account/account-log.ts";
import { STEP_PIECES_MAX } from "../../src/clicks/account/draw-rounds.ts";
import { ACCOUNT_GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";
import type { AccountStatsRequest } from "../../src/core/clicks/counting/stats.ts";
import type { AccountStatsQuestion } from "../../src/core/clicks/protocol/account-object-rpc.ts";
import { DAY_MS } from "../../src/core/time.ts";
import { bundle } from "../support/bundle.ts";
import { randomInteger, seededRandom } from "../support/seeded-random.ts";
import { dollarsPerMillion } from "../support/redirect-costs.ts";
import type { AccountFill, FilledLink, MeasuredAnswer, ObjectUsage } from "./account-worker.ts";
import { type Figure, median } from "./figures.ts";
import { cpuSeconds, type HoplinkServer, startHoplink } from "./server.ts";
import { loopMs, slownessOf, stepFigures } from "./step-cpu.ts";

const LINKS = 10_000;
const LINK_CLICKS = 1_000;
const DAYS = 60;
const FILLED_LINKS_AT_ONCE = 100;
const QUESTIONS = 15;
/** Links of each account, half for each size. */
const PART_LINKS = 200;
const BATCH_SIZES = [1, 50];
/** Older answers are brought up to date first. */
const AS_OF_AGE_MS = 61_000;
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
    const links = await fillLinks(server, past);
    const others = linksOf("acc_that_does_not_ask", "other", PART_LINKS, server);
    await fillAll(server, others, past);
    const filling = await readPast(server, past);
    const questions = await figuresOfQuestions(server, past);
    return [...filling, ...questions, ...(await costOfPart(server, links, others))];
  } finally {
    await server.stop();
  }
}

async function fillLinks(server: HoplinkServer, past: Range): Promise<FilledLink[]> {
  const links = linksOf(server.accountId, "counted", LINKS, server);
  const ids = await server.api.createLinks(links.map(({ slug }) => slug));
  for (const [i, link] of links.entries()) link.id = ids[i] ?? "";
  await fillAll(server, links, past);
  return links;
}

function linksOf(accountId: string, name: string, count: number, { url }: HoplinkServer): FilledLink[] {
  const { host: domain } = new URL(url);
  return Array.from({ length: count }, (_, i) => ({ accountId, id: `lnk_${name}_${i}`, domain, slug: `${name}-${i}` }));
}

async function fillAll({ url }: HoplinkServer, links: readonly FilledLink[], past: Range): Promise<void> {
  for (let i = 0; i < links.length; i += FILLED_LINKS_AT_ONCE) {
    const filling: AccountFill = { links: links.slice(i, i + FILLED_LINKS_AT_ONCE), clicks: LINK_CLICKS, ...past };
    await post(url, "/.fill", filling);
  }
}

/** Queries until the answer is complete, as a page that shows the progress does. */
async function readPast({ api, pid }: HoplinkServer, { from }: Range): Promise<Figure[]> {
  const [startedAt, cpu] = [performance.now(), cpuSeconds(pid)];
  const loops: number[] = [];
  const path = `/v1/stats?include_bots=true&from=${new Date(from).toISOString()}`;
  for (;;) {
    const { progress, total } = (await api.call("GET", path)) as { progress?: number; total: number };
    const ms = performance.now() - startedAt;
    if (progress === undefined) {
      if (total !== LINKS * LINK_CLICKS) throw new Error(`${total} of ${LINKS * LINK_CLICKS} clicks were counted`);
      const cpuOfAll = cpuSeconds(pid) - cpu;
      const measured = { cpuMs: cpuOfAll * 1_000, slowness: slownessOf(loops) };
      // Each click is drawn and merged.
      const pieces = (2 * total) / MERGED_PIECE_CLICKS;
      return [
        {
          name: "10 million clicks of 10,000 links, read at the first question",
          value: ms / 1_000,
          unit: "s",
          target: "<= 60",
        },
        { name: "the same, CPU of all objects", value: cpuOfAll, unit: "s" },
        ...stepFigures("a step of an account's log", measured, pieces, STEP_PIECES_MAX),
      ];
    }
    if (ms > FILLING_TIMEOUT_MS) throw new Error(`not read after ${ms} ms, progress ${progress}`);
    loops.push(loopMs());
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

/** Extra usage of a link's clicks compared with an account that does not query, where a draw follows each batch. */
async function costOfPart(
  server: HoplinkServer,
  links: readonly FilledLink[],
  others: readonly FilledLink[],
): Promise<Figure[]> {
  const part = PART_LINKS / BATCH_SIZES.length;
  const batches: { clicks: number; extra: ObjectUsage; plain: ObjectUsage }[] = [];
  for (const [i, clicks] of BATCH_SIZES.entries()) {
    const [from, to] = [i * part, (i + 1) * part];
    const visit = async (all: readonly FilledLink[]): Promise<ObjectUsage> => {
      return (await (await post(server.url, "/.visit", { links: all.slice(from, to), clicks })).json()) as ObjectUsage;
    };
    const [used, plain] = [await visit(links), await visit(others)];
    batches.push({ clicks, extra: minus(used, plain), plain });
  }
  await new Promise((done) => setTimeout(done, AS_OF_AGE_MS));
  const question = { ...questionOf(server.accountId, { groupBy: "country" }), from: 0, to: null };
  const [drawing, again] = [await ask(server, question), await ask(server, question)];
  const draw = minus(drawing, again);
  return batches.flatMap(({ clicks, extra, plain }) => {
    const share = (name: keyof ObjectUsage) => (extra[name] / part + draw[name] / PART_LINKS) / clicks;
    const used = {
      objectRequests: share("objectRequests"),
      rowsRead: share("rowsRead"),
      rowsWritten: share("rowsWritten"),
    };
    const nothing = { objectRequests: 0, rowsRead: 0, rowsWritten: 0 };
    const of = clicks === 1 ? "a lone click" : `a click of ${clicks}`;
    return [
      { name: `rows written more for ${of}, drawn at once`, value: used.rowsWritten, unit: "rows" },
      { name: `requests more for ${of}, drawn at once`, value: used.objectRequests, unit: "calls" },
      {
        name: `a million more, each ${of}, drawn at once`,
        value: dollarsPerMillion(used) - dollarsPerMillion(nothing),
        unit: "dollars",
      },
      {
        name: `requests to the account for ${of}, without account statistics`,
        value: plain.objectRequests,
        unit: "calls",
        target: "<= 0",
      },
    ];
  });
}

function minus(one: ObjectUsage, other: ObjectUsage): ObjectUsage {
  return {
    objectRequests: one.objectRequests - other.objectRequests,
    rowsRead: one.rowsRead - other.rowsRead,
    rowsWritten: one.rowsWritten - other.rowsWritten,
  };
}

async function answersOf(
  server: HoplinkServer,
  past: Range,
  chance: () => number,
  asked: Asked,
): Promise<MeasuredAnswer[]> {
  const answers: MeasuredAnswer[] = [];
  for (let i = 0; i < QUESTIONS; i++) {
    const [one, other] = [randomInteger(chance, past.to - past.from), randomInteger(chance, past.to - past.from)];
    const range = { from: past.from + Math.min(one, other), to: past.from + Math.max(one, other) };
    answers.push(await ask(server, { ...questionOf(server.accountId, asked), ...range }));
  }
  return answers;
}

type Asked = Pick<AccountStatsRequest, "groupBy" | "filters">;

function questionOf(
  accountId: string,
  asked: Asked,
): Omit<AccountStatsQuestion["request"], "from" | "to"> & { accountId: string } {
  return { accountId, ...asked, interval: null, timezone: "Europe/Zurich", includeBots: false };
}

async function ask(
  { url }: HoplinkServer,
  { accountId, ...request }: AccountStatsQuestion["request"] & { accountId: string },
): Promise<MeasuredAnswer> {
  const question: AccountStatsQuestion = { accountId, mode: "live", tagChanges: 0, request };
  return (await (await post(url, "/.measure", question)).json()) as MeasuredAnswer;
}

async function post(url: string, path: string, body: unknown): Promise<Response> {
  const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
