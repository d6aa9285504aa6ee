/**
 * Validation of links beyond the schema: expiry against the clock and the start, redirect loops, domains, unreachable
 * rules, total size of the rules. It accepts the unparsed body, so that these problems are reported together with the
 * schema's. Pure: the time and the hosts are arguments.
 */
import { Condition } from "../contract/link-members.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import type { DomainStatus } from "../domains/domain-verification.ts";
import type { Problem } from "../errors.ts";
import { type Hosts, isServiceShortDomain, parseUrl } from "../hosts.ts";
import { ROUTING_MAX_BYTES, RULES_MAX, SLUG_MAX_CHARS, URL_MAX_CHARS } from "../limits.ts";
import {
  CONDITION_KEYS,
  type ConditionKey,
  CONDITIONS,
  type ConditionValues,
  type PlainCondition,
} from "./conditions.ts";
import { canonicalText, type RuleCondition } from "./routing.ts";
import { lookalikeProblem } from "./slug-rules.ts";
import { isTimestamp, timestamp } from "../time.ts";

/**
 * Short domains of this service by name: the caller's with their status, verified domains of other accounts with null.
 */
export type KnownDomains = ReadonlyMap<string, DomainStatus | null>;

/** The service's own short domains, of both modes. */
type ShortDomains = Pick<Hosts, "shortDomainByHostname">;

/** Names in the bodies that may be short domains. Callers look them up before they validate the bodies. */
export function candidateDomains(bodies: readonly unknown[]): string[] {
  const names = bodies.filter(isRecord).flatMap((body) => {
    const ownDestinations = [body.url, body.fallback_url, body.root_url, body.not_found_url, body.expired_url];
    const destinations = [...ownDestinations, ...rulesOf(body).map(destinationOf)];
    const named = typeof body.domain === "string" ? normalizedDomain(body.domain) : "";
    return [named, ...destinations.map((text) => urlOf(text)?.hostname.replace(/\.$/, "") ?? "")];
  });
  return [...new Set(names.filter((name) => name !== ""))];
}

/**
 * @param now  epoch ms for a new link, which must not be expired; null for an update, which may end the link
 * @param stored  the link's stored state; null if it is new or not known
 * @param updatedAt  when the stored link is updated, epoch ms
 */
export function linkProblems(
  body: unknown,
  hosts: ShortDomains,
  known: KnownDomains,
  now: number | null,
  stored: OpeningTimes | null = null,
  updatedAt = 0,
): Problem[] {
  if (!isRecord(body)) return [];
  const rules = rulesOf(body);
  const tooLong = routingSizeProblems(body.routing);
  const times = { startsAt: instantOf(body.starts_at), expiresAt: instantOf(body.expires_at) };
  return [
    ...loopProblems(body.url, "url", hosts, known),
    ...loopProblems(body.fallback_url, "fallback_url", hosts, known),
    ...expiryProblems(times, now),
    ...openingTimesProblems(stored ? withoutVoidStart(times, stored, updatedAt) : times, stored),
    ...rules.flatMap((rule, index) => loopProblems(destinationOf(rule), `routing.${index}.to`, hosts, known)),
    ...tooLong,
    ...(tooLong.length > 0 ? [] : unreachableRuleProblems(rules.flatMap(readableCondition))),
  ];
}

/**
 * Problems of a new link's address.
 * @param defaultDomain  the domain of links that do not name one
 */
export function linkAddressProblems(body: unknown, defaultDomain: string, known: KnownDomains): Problem[] {
  if (!isRecord(body)) return [];
  const domain = typeof body.domain === "string" ? normalizedDomain(body.domain) : defaultDomain;
  if (domain === defaultDomain) return lookalikeProblems(body.slug);
  const status = known.get(domain) ?? null;
  if (status === "active") return [];
  const problem = status
    ? { code: "not_active", message: `domain must be active to accept new links, but is ${status}` }
    : { code: "invalid_value", message: `domain must be one of your active domains, or ${defaultDomain}` };
  return [{ path: "domain", ...problem }];
}

function lookalikeProblems(slug: unknown): Problem[] {
  const problem = typeof slug === "string" && slug.length <= 2 * SLUG_MAX_CHARS ? lookalikeProblem(slug) : null;
  return problem === null ? [] : [{ path: "slug", code: "invalid_value", message: `slug ${problem}` }];
}

/** Problems of a domain's default redirects beyond the schema: redirect loops. */
export function defaultRedirectProblems(body: unknown, hosts: Hosts, known: KnownDomains): Problem[] {
  if (!isRecord(body)) return [];
  return [
    ...loopProblems(body.root_url, "root_url", hosts, known),
    ...loopProblems(body.not_found_url, "not_found_url", hosts, known),
    ...loopProblems(body.expired_url, "expired_url", hosts, known),
  ];
}

/** Whether a body has routing rules, which need the Premium plan. */
export function writesRules(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body.routing) && body.routing.length > 0;
}

/** Whether any link of a bulk body has routing rules, however invalid the rest of the body is. */
export function anyWritesRules(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body.links) && body.links.some(writesRules);
}

function loopProblems(destination: unknown, path: string, hosts: ShortDomains, known: KnownDomains): Problem[] {
  const url = urlOf(destination);
  if (!url || !(isServiceShortDomain(url, hosts) || known.has(url.hostname.replace(/\.$/, "")))) return [];
  return [{ path, code: "loop", message: `${path} must not lead to one of this service's own short domains` }];
}

function expiryProblems({ expiresAt }: ChangedTimes, now: number | null): Problem[] {
  if (now === null || typeof expiresAt !== "number" || expiresAt > now) return [];
  return [{ path: "expires_at", code: "in_the_past", message: "expires_at must be in the future" }];
}

/** Converts a sent time to epoch ms; undefined for values that the schema refuses. */
function instantOf(sent: unknown): number | null | undefined {
  if (sent === null) return null;
  return typeof sent === "string" && isTimestamp(sent) ? Date.parse(sent) : undefined;
}

function routingSizeProblems(routing: unknown): Problem[] {
  const bytes = Array.isArray(routing) ? new TextEncoder().encode(JSON.stringify(routing)).length : 0;
  if (bytes <= ROUTING_MAX_BYTES) return [];
  const message = `routing must have at most ${ROUTING_MAX_BYTES} bytes as JSON, not ${bytes}`;
  return [{ path: "routing", code: "too_big", message }];
}

/** The condition of a rule, or an empty list if it is not valid: only valid conditions can be compared. */
function readableCondition(rule: unknown, index: number): { index: number; if: RuleCondition }[] {
  const condition = isRecord(rule) ? Condition.safeParse(rule.if) : null;
  return condition?.success ? [{ index, if: condition.data }] : [];
}

/** The rules; empty if there are more than the schema's maximum, so that hosts of refused rules are not looked up. */
function rulesOf(body: Record<string, unknown>): unknown[] {
  return Array.isArray(body.routing) && body.routing.length <= RULES_MAX ? body.routing : [];
}

function destinationOf(rule: unknown): unknown {
  return isRecord(rule) ? rule.to : undefined;
}

function urlOf(text: unknown): URL | null {
  return typeof text === "string" && text.length <= URL_MAX_CHARS ? parseUrl(text) : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The time during which a link is open: from `starts_at` until just before `expires_at`, in this order. Epoch ms; null
 * for no limit.
 */
export interface OpeningTimes {
  startsAt: number | null;
  expiresAt: number | null;
}

/** The times that a request sets; undefined leaves the stored time. */
type ChangedTimes = { [Member in keyof OpeningTimes]?: OpeningTimes[Member] | undefined };

/** @param stored  times of the link that is changed; null for a new one */
export function openingTimesProblems(sent: ChangedTimes, stored: OpeningTimes | null): Problem[] {
  const { startsAt = stored?.startsAt ?? null, expiresAt = stored?.expiresAt ?? null } = sent;
  if (startsAt === null || expiresAt === null || startsAt < expiresAt) return [];
  // A request that changes other members sends neither.
  if (sent.startsAt === undefined && sent.expiresAt === undefined) return [];
  return [
    sent.startsAt === undefined
      ? wrongOrder("expires_at", `expires_at must be after starts_at, which is ${timestamp(startsAt)}`)
      : wrongOrder("starts_at", `starts_at must be before expires_at, which is ${timestamp(expiresAt)}`),
  ];
}

/**
 * An expiry in the past ends a link now, even one that has not opened yet. Its start is then cleared, because it would
 * be after the expiry.
 * @param now  epoch ms
 */
export function withoutVoidStart<Changes extends ChangedTimes>(
  changes: Changes,
  stored: OpeningTimes,
  now: number,
): Changes {
  const { startsAt, expiresAt } = changes;
  if (startsAt !== undefined || typeof expiresAt !== "number" || expiresAt > now) return changes;
  return stored.startsAt !== null && stored.startsAt >= expiresAt ? { ...changes, startsAt: null } : changes;
}

function wrongOrder(path: string, message: string): Problem {
  return { path, code: "wrong_order", message };
}

/** Finds rules that no visitor can reach, because of an earlier rule. */

/** A short rule may be covered by a long one, so 100 messages with its whole text could have six megabytes. */
const SHOWN_MAX_CHARS = 200;

interface IndexedRule {
  index: number;
  if: RuleCondition;
}

/** The widest earlier rule among those that differ only in `percent`. Without `percent` a rule matches all visitors. */
interface WidestRule extends IndexedRule {
  percent: number;
}

/**
 * Reports each rule that no visitor can reach: an earlier rule covers it (see `EarlierRules`), or differs only in a
 * greater `percent`.
 */
export function unreachableRuleProblems(rules: readonly IndexedRule[]): Problem[] {
  const earlierRules = new EarlierRules();
  const widest = new Map<string, WidestRule>();
  return rules.flatMap((rule) => {
    const { percent = Infinity, ...others } = rule.if;
    const key = canonicalText(others);
    const sameOthers = widest.get(key);
    const earlier = sameOthers && sameOthers.percent >= percent ? sameOthers : earlierRules.covering(rule);
    if (earlier) return [unreachable(rule.index, reason(earlier, rule))];
    widest.set(key, { ...rule, percent });
    earlierRules.add(rule);
    return [];
  });
}

function reason(earlier: IndexedRule, later: IndexedRule): string {
  const text = canonicalText(earlier.if);
  const shown = text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS).toWellFormed()}…` : text;
  return text === canonicalText(later.if)
    ? `routing.${earlier.index} has the same condition (${shown}) and comes first`
    : `routing.${earlier.index} matches all of its visitors (${shown}) and comes first`;
}

function unreachable(index: number, why: string): Problem {
  const path = `routing.${index}`;
  return { path, code: "unreachable_rule", message: `${path} can never match: ${why}` };
}

/**
 * Finds an earlier rule that covers a later one: the later rule has each of its keys, with the same or fewer values.
 * `not` and keys without lists count as one value. Sets of earlier rules are bit masks, one per key and value: each
 * value costs one look-up, where a comparison of each pair of rules would cost up to a hundred.
 */
class EarlierRules {
  readonly #rules: IndexedRule[] = [];
  readonly #withKey = new Map<string, bigint>();
  readonly #withValue = new Map<string, bigint>();

  add(rule: IndexedRule): void {
    const bit = 1n << BigInt(this.#rules.push(rule) - 1);
    for (const [key, values] of keysAndValues(rule.if)) {
      addBit(this.#withKey, key, bit);
      for (const value of values) addBit(this.#withValue, value, bit);
    }
  }

  /** The first rule that covers this one. */
  covering({ if: condition }: IndexedRule): IndexedRule | undefined {
    const later = new Map(keysAndValues(condition));
    let covering = (1n << BigInt(this.#rules.length)) - 1n;
    for (const [key, withKey] of this.#withKey) {
      let withValues = later.has(key) ? withKey : 0n;
      for (const value of later.get(key) ?? []) withValues &= this.#withValue.get(value) ?? 0n;
      covering &= ~withKey | withValues;
    }
    return this.#rules.find((_, at) => (covering >> BigInt(at)) & 1n);
  }
}

function addBit(masks: Map<string, bigint>, name: string, bit: bigint): void {
  masks.set(name, (masks.get(name) ?? 0n) | bit);
}

/** The keys of a condition, each with the canonical texts of its values. */
function keysAndValues({ not, ...plain }: RuleCondition): [key: string, values: string[]][] {
  const keys = CONDITION_KEYS.filter((key) => plain[key] !== undefined);
  const named = keys.map((key): [string, string[]] => [key, valuesOf(key, plain)]);
  return not ? [...named, ["not", [`not(${canonicalText(not)})`]]] : named;
}

function valuesOf<K extends ConditionKey>(key: K, condition: PlainCondition): string[] {
  const wanted: PlainCondition[K] = condition[key];
  if (wanted === undefined) return [];
  const values: ConditionValues[K][] = Array.isArray(wanted) ? wanted : [wanted];
  return values.map((value) => CONDITIONS[key].canonicalText(value));
}
