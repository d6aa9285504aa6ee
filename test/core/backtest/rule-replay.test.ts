/**
 * Rules tried on logged clicks, compared with the original visits: the replay must not guess what the log lacks, and
 * must use what it has.
 */
import { describe, expect, test } from "vitest";

import { RuleReplay, UNDECIDED } from "../../../src/core/backtest/rule-replay.ts";
import { BatchBuilder } from "../../../src/core/clicks/encoding/batch-builder.ts";
import {
  clampTimes,
  type ClickSlice,
  unpackColumns,
  unpackTimes,
} from "../../../src/core/clicks/encoding/click-batch.ts";
import { ClickBlock, encodeBlock } from "../../../src/core/clicks/encoding/click-block.ts";
import { joinClicks } from "../../../src/core/clicks/encoding/click-pool.ts";
import { clickOf } from "../../../src/core/clicks/facts.ts";
import {
  allClicks,
  clicksOfBlock,
  clicksOfSlice,
  type ScannedClicks,
} from "../../../src/core/clicks/counting/scanned-clicks.ts";
import { type ConditionKey, CONDITIONS, type PlainCondition } from "../../../src/core/links/conditions.ts";
import {
  metQueryConditions,
  queryConditions,
  canonicalText,
  chooseDestination,
  type RoutableLink,
  type RoutingRule,
} from "../../../src/core/links/routing.ts";
import { UNKNOWN_SPLIT } from "../../../src/core/visitors/split.ts";
import type { RequestVisitor } from "../../../src/core/visitors/visitor.ts";
import { randomRouting, type RandomVisit, randomVisit } from "../../support/random-rules.ts";
import { randomInteger, seededRandom } from "../../support/seeded-random.ts";
import { requestVisitor } from "../../support/request-visitor.ts";

const START = Date.UTC(2026, 9, 24, 20);
const DAY_MS = 86_400_000;
/** Europe's clocks are set back in between. */
const TIMES = [START + DAY_MS / 2, START + DAY_MS, START + 1.5 * DAY_MS + 1];

interface Visit {
  visitor: RequestVisitor;
  revision: number;
  /** Index of the rule that decided, or -1. */
  rule: number;
}

function visitorOf(sent: RandomVisit, source: "qr" | "link", now: number): RequestVisitor {
  const headers = new Headers({ "user-agent": sent.userAgent });
  if (sent.language) headers.set("accept-language", sent.language);
  if (sent.referer) headers.set("referer", sent.referer);
  if (sent.address) headers.set("cf-connecting-ip", sent.address);
  return requestVisitor({ headers, geography: sent, search: sent.search, qr: source === "qr" ? "qr_1" : null, now });
}

function linkWith(routing: RoutingRule[]): RoutableLink {
  return { url: "https://example.com/", routing, expiresAt: null };
}

/** Visits under one revision after the other, and their batches in the log, some with raised times. */
function visitLinks(chance: () => number, links: readonly RoutableLink[]): { visits: Visit[]; slices: ClickSlice[] } {
  const visits: Visit[] = [];
  const slices: ClickSlice[] = [];
  let [at, last] = [START, START];
  for (const [revision, link] of links.entries()) {
    for (let batches = 0; batches < 4; batches++) {
      const batch = new BatchBuilder();
      const count = 1 + randomInteger(chance, 40);
      for (let i = 0; i < count; i++) {
        at += randomInteger(chance, 900_000);
        const source = chance() < 0.2 ? "qr" : "link";
        const visitor = visitorOf(randomVisit(chance), source, at);
        const chosen = chooseDestination(link, visitor);
        const rule = chosen.kind === "redirect" ? chosen.rule : NaN;
        batch.add(clickOf(visitor, rule, source === "qr" ? "qr_1" : null, metQueryConditions(link, visitor)));
        visits.push({ visitor, revision, rule });
      }
      const packed = batch.pack();
      const stored = clampTimes(packed, Math.max(last, chance() < 0.3 ? at - 1_000_000 : 0));
      const times = unpackTimes(stored);
      last = times.at(-1) ?? last;
      const raised = stored === packed ? {} : { visits: unpackTimes(packed) };
      const position = visits.length - count;
      slices.push({ position, revision, columns: unpackColumns(packed.columns), times, ...raised, from: 0, to: count });
    }
  }
  return { visits, slices };
}

/** The same clicks in the forms that a scan can find. */
const READERS: [string, (slices: ClickSlice[]) => ScannedClicks[]][] = [
  ["in their batches", (slices) => slices.map(clicksOfSlice)],
  [
    "in a packed block",
    (slices) => {
      const block = new ClickBlock(encodeBlock(joinClicks(slices.map(clicksOfSlice))));
      return [clicksOfBlock(block, 0, 7), clicksOfBlock(block, 7, block.count)];
    },
  ],
];

function replay(tried: RoutingRule[], links: readonly RoutableLink[], clicks: ScannedClicks[]): number[] {
  const rules = new RuleReplay(tried, (revision) => links[revision] ?? null);
  return clicks.flatMap((some) => [...rules.decide(some, allClicks(some))]);
}

type Outcome = boolean | null;

/** What the log of a visit shows about a tried rule, condition by condition. */
function outcomeOf({ if: condition }: RoutingRule, visit: Visit, link: RoutableLink): Outcome {
  const outcome = and([plainOutcome(condition, visit, link), negated(condition.not, visit, link)]);
  const index = link.routing.findIndex((rule) => canonicalText(rule.if) === canonicalText(condition));
  if (outcome !== null || index < 0) return outcome;
  const decided = visit.rule < 0 ? Infinity : visit.rule;
  return index === decided ? true : index < decided ? false : null;
}

function negated(not: PlainCondition | undefined, visit: Visit, link: RoutableLink): Outcome {
  if (not === undefined) return true;
  const outcome = plainOutcome(not, visit, link);
  return outcome === null ? null : !outcome;
}

function plainOutcome(condition: PlainCondition, { visitor }: Visit, link: RoutableLink): Outcome {
  const keys = Object.keys(condition).filter((key): key is ConditionKey => key in CONDITIONS);
  return and(keys.map((key) => (isLogged(key, condition, visitor, link) ? holds(key, condition, visitor) : null)));
}

function holds<K extends ConditionKey>(key: K, condition: PlainCondition, visitor: RequestVisitor): boolean {
  const wanted: PlainCondition[K] = condition[key];
  return wanted !== undefined && CONDITIONS[key].test(wanted)(visitor);
}

function isLogged(key: ConditionKey, { query }: PlainCondition, visitor: RequestVisitor, link: RoutableLink): boolean {
  if (key === "percent") return visitor.split !== UNKNOWN_SPLIT;
  if (key !== "query" || query === undefined) return true;
  const text = CONDITIONS.query.canonicalText(query);
  return queryConditions(link.routing).some((wanted) => CONDITIONS.query.canonicalText(wanted) === text);
}

function and(outcomes: Outcome[]): Outcome {
  return outcomes.includes(false) ? false : outcomes.includes(null) ? null : true;
}

function expectedRule(tried: RoutingRule[], visit: Visit, link: RoutableLink): number {
  for (const [index, rule] of tried.entries()) {
    const outcome = outcomeOf(rule, visit, link);
    if (outcome !== false) return outcome ? index : UNDECIDED;
  }
  return tried.length;
}

const SEEDS = Array.from({ length: 25 }, (_, seed) => seed);

describe.each(READERS)("clicks %s", (_name, read) => {
  test("a revision's rules decide each of its clicks as at the time of the visit", () => {
    for (const seed of SEEDS) {
      const chance = seededRandom(seed);
      const links = [0, 1, 2].map(() => linkWith(randomRouting(chance, seed % 3 === 0 ? 100 : 8, TIMES)));
      const { visits, slices } = visitLinks(chance, links);
      for (const [revision, { routing }] of links.entries()) {
        const own = (_: unknown, index: number) => visits[index]?.revision === revision;
        const decided = replay(routing, links, read(slices)).filter(own);
        const logged = visits.filter(own).map(({ rule }) => (rule < 0 ? routing.length : rule));
        expect(decided, `seed ${seed}`).toEqual(logged);
      }
    }
  });

  test("other rules decide them as they would have, unless that depends on facts that are not logged", () => {
    let undecided = 0;
    for (const seed of SEEDS) {
      const chance = seededRandom(1_000 + seed);
      const links = [0, 1].map(() => linkWith(randomRouting(chance, 8, TIMES)));
      const { visits, slices } = visitLinks(chance, links);
      const mixed = [
        ...randomRouting(chance, 4, TIMES),
        ...(links[0]?.routing ?? []),
        ...randomRouting(chance, 60, TIMES),
      ];
      for (const tried of [randomRouting(chance, 40, TIMES), mixed, []]) {
        const decided = replay(tried, links, read(slices));
        const expected = visits.map((visit) => expectedRule(tried, visit, links[visit.revision] ?? linkWith([])));
        expect(decided, `seed ${seed}`).toEqual(expected);
        for (const [n, rule] of decided.entries()) if (rule !== UNDECIDED) expect(rule).toBe(visited(tried, visits[n]));
        undecided += decided.filter((rule) => rule === UNDECIDED).length;
      }
    }
    expect(undecided).toBeGreaterThan(100);
  });
});

/** The rule that the real visit would have followed. */
function visited(tried: RoutingRule[], visit: Visit | undefined): number | null {
  const chosen = visit && chooseDestination(linkWith(tried), visit.visitor);
  if (chosen?.kind !== "redirect") return null;
  return chosen.rule < 0 ? tried.length : chosen.rule;
}
