/**
 * Visitors with a memory: each visit has its own name, sent as its referrer, so that the tests can find it in the click
 * log and check that it was counted exactly once.
 */
import { Agent, request } from "node:http";
import { expect } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { eventually, pause } from "../support/eventually.ts";
import type { FaultyServer } from "./faulty-server.ts";

/** One in two visitors speaks German. */
export const DEFAULT_URL = "https://example.com/";
const GERMAN_URL = "https://example.com/de";
export const ROUTING = [{ if: { language: "de" }, to: GERMAN_URL }];

const TICK_MS = 10;
const CONNECTIONS = 64;
/** Less than the time after which workerd closes an idle connection, since a visit could be sent just then. */
const IDLE_TIMEOUT_MS = 2_000;
/** On a machine too slow for the rate visits would pile up, and answers would take ever longer. */
const PENDING_MAX = 500;
/** The long form sends for a minute on a fast machine. */
const VISITS_TIMEOUT_MS = 600_000;

export interface Visit {
  name: string;
  link: Link;
  isolate: number;
  language: "de" | "en";
  /** Time by `performance.now()`. */
  sentAt: number;
  /** The response; null before it arrives, or when the connection broke. */
  response: { status: number; location: string | undefined; at: number } | null;
}

type VisitedServer = Pick<FaultyServer, "ports" | "host">;

export class Visitors {
  readonly visits: Visit[] = [];
  readonly #server: VisitedServer;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_TIMEOUT_MS });

  constructor(server: VisitedServer) {
    this.#server = server;
  }

  /** Visits once. Ends with the answer, or when the connection broke. */
  async visit(link: Link, isolate = 0, headers: Record<string, string> = {}, search = ""): Promise<Visit> {
    const visit = this.#newVisit(link, isolate);
    return new Promise((done) => {
      const sent = request({ ...this.#optionsOf(visit, headers, search), agent: this.#agent }, (response) => {
        response.resume();
        response.once("end", () => {
          const { statusCode = 0, headers } = response;
          visit.response = { status: statusCode, location: headers.location, at: performance.now() };
        });
        response.once("close", () => done(visit));
      });
      sent.once("error", () => done(visit));
      sent.end();
    });
  }

  /** A visitor who leaves as soon as the request is sent. */
  async visitAndDisconnect(link: Link, isolate = 0): Promise<void> {
    const sent = request({ ...this.#optionsOf(this.#newVisit(link, isolate), {}), agent: false });
    return new Promise((done) => {
      sent.on("error", () => done());
      sent.once("close", () => done());
      sent.once("finish", () => sent.destroy());
      sent.end();
    });
  }

  /**
   * Visits at a fixed rate while the machine keeps up with it, to links and isolates in turn, until `done` is settled.
   * All are answered on return.
   */
  async sendLoad(links: readonly Link[], perSecond: number, done: Promise<unknown>, isolates = [0]): Promise<void> {
    let isOver = false;
    const over = done.finally(() => (isOver = true));
    const startedAt = performance.now();
    const pending = new Set<Promise<unknown>>();
    for (let sent = 0; !isOver;) {
      const due = ((performance.now() - startedAt) / 1_000) * perSecond;
      for (; sent < due && pending.size < PENDING_MAX; sent++) {
        const link = links[sent % links.length];
        const isolate = isolates[Math.floor(sent / links.length) % isolates.length];
        if (!link) continue;
        const visit = this.visit(link, isolate).finally(() => pending.delete(visit));
        pending.add(visit);
      }
      await pause(TICK_MS); // The rate.
    }
    await Promise.all([over, ...pending]);
  }

  /** Waits for that many more visits, whose rate the caller sets. */
  waitForVisits(more: number): Promise<void> {
    const count = this.visits.length + more;
    return eventually(() => this.visits.length >= count, `${count} visits`, VISITS_TIMEOUT_MS);
  }

  close(): void {
    this.#agent.destroy();
  }

  #newVisit(link: Link, isolate: number): Visit {
    const number = this.visits.length;
    const language = number % 2 === 0 ? "de" : "en";
    const visit: Visit = {
      name: `v${number}.example`,
      link,
      isolate,
      language,
      sentAt: performance.now(),
      response: null,
    };
    this.visits.push(visit);
    return visit;
  }

  #optionsOf({ name, link, isolate, language }: Visit, headers: Record<string, string>, search = "") {
    return {
      host: "127.0.0.1",
      port: this.#server.ports[isolate],
      path: `/${link.slug}${search}`,
      headers: { Host: this.#server.host, Referer: `https://${name}/`, "Accept-Language": language, ...headers },
    };
  }
}

/** Expects that each visit was sent to its rule's destination. */
export function expectRedirected(visits: readonly Visit[]): void {
  const wrong = visits.filter(
    ({ response, language }) =>
      response?.status !== 302 || response.location !== (language === "de" ? GERMAN_URL : DEFAULT_URL),
  );
  expect(wrong.map(describeVisit)).toEqual([]);
}

function describeVisit({ name, isolate, language, response }: Visit): string {
  return `${name} at isolate ${isolate} (${language}): ${response ? `${response.status} ${response.location}` : "no answer"}`;
}

/**
 * For each link, the click log holds every redirected visit once, with its destination, and nothing that was not sent.
 * It has no gaps and is ordered by time, and statistics agree.
 * @param mayBeLost  visits that were cut off themselves: they may count or not, but not twice
 * @returns how many clicks were counted
 */
export async function expectCountedOnce(
  server: FaultyServer,
  visits: readonly Visit[],
  mayBeLost: (visit: Visit) => boolean = () => false,
): Promise<number> {
  await server.waitForBackgroundWork();
  let counted = 0;
  for (const link of new Set(visits.map((visit) => visit.link))) {
    const sent = visits.filter((visit) => visit.link === link);
    const clicks = await server.api.clicks(link);
    const logged = new Map(clicks.map((click) => [click.referrer, click]));
    expect(clicks.map(({ seq }) => seq)).toEqual(clicks.map((_, i) => i + 1));
    expect(logged.size, "clicks counted once").toBe(clicks.length);
    const times = clicks.map(({ occurred_at }) => Date.parse(occurred_at));
    expect(times.filter((time, i) => time < (times[i - 1] ?? 0))).toEqual([]);
    const names = new Set(sent.map(({ name }) => name));
    expect(clicks.filter(({ referrer }) => !names.has(referrer))).toEqual([]);
    const lost = sent.filter((visit) => visit.response?.status === 302 && !logged.has(visit.name) && !mayBeLost(visit));
    expect(lost.map(describeVisit), "clicks answered and not counted").toEqual([]);
    const astray = sent.filter(({ name, response }) => {
      const click = logged.get(name);
      return response && click && click.destination !== response.location;
    });
    expect(astray.map(describeVisit), "clicks logged with another destination").toEqual([]);
    expect(await server.api.total(link)).toBe(clicks.length);
    counted += clicks.length;
  }
  return counted;
}

export function redirected(visits: readonly Visit[]): Visit[] {
  return visits.filter(({ response }) => response?.status === 302);
}

/** The slowest answer, in ms. */
export function slowestMs(visits: readonly Visit[]): number {
  return visits.reduce((slow, { sentAt, response }) => Math.max(slow, (response?.at ?? Infinity) - sentAt), 0);
}
