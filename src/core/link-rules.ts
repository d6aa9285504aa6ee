/**
 * What a schema alone cannot say about a link: the clock, our own domains, rules against each other, sizes in sum.
 * Takes the body as it came, so that these problems are reported together with the schema's, all at once.
 * Pure: the time and the hosts are arguments.
 */
import { Condition, ROUTING_MAX_BYTES } from "./contract.ts";
import type { Problem } from "./errors.ts";
import { type Hosts, isOwnDomain } from "./hosts.ts";
import { type Condition as RuleCondition, unreachableRules } from "./routing.ts";
import { isTimestamp } from "./timestamp.ts";

/** @param now  epoch ms when the link is new and must not be born expired; null when an update may end it. */
export function linkProblems(body: unknown, hosts: Hosts, now: number | null): Problem[] {
  if (!isRecord(body)) return [];
  const rules = Array.isArray(body.routing) ? body.routing : [];
  return [
    ...loops(body.url, "url", hosts),
    ...bornExpired(body.expires_at, now),
    ...rules.flatMap((rule: unknown, index) => (isRecord(rule) ? loops(rule.to, `routing.${index}.to`, hosts) : [])),
    ...oversized(body.routing),
    ...unreachableRules(rules.flatMap(readableCondition)),
  ];
}

/** @param ours  the domain that the caller's links live on */
export function domainProblems(body: unknown, ours: string): Problem[] {
  if (!isRecord(body) || typeof body.domain !== "string" || body.domain.toLowerCase() === ours) return [];
  const message = `domain must be one of your active domains, or ${ours}`;
  return [{ path: "domain", code: "invalid_value", message }];
}

/** Whether a body writes rules: that is what the Premium plan is for. */
export function writesRules(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body.routing) && body.routing.length > 0;
}

/** Whether any link of a bulk body writes rules, whatever else is wrong with the body. */
export function anyWritesRules(body: unknown): boolean {
  return isRecord(body) && Array.isArray(body.links) && body.links.some(writesRules);
}

function loops(destination: unknown, path: string, hosts: Hosts): Problem[] {
  const url = typeof destination === "string" ? URL.parse(destination) : null;
  if (!url || !isOwnDomain(url, hosts)) return [];
  return [{ path, code: "loop", message: `${path} must not lead to one of this service's own short domains` }];
}

function bornExpired(expiresAt: unknown, now: number | null): Problem[] {
  if (now === null || typeof expiresAt !== "string" || !isTimestamp(expiresAt)) return [];
  if (Date.parse(expiresAt) > now) return [];
  return [{ path: "expires_at", code: "in_the_past", message: "expires_at must be in the future" }];
}

function oversized(routing: unknown): Problem[] {
  const bytes = Array.isArray(routing) ? new TextEncoder().encode(JSON.stringify(routing)).length : 0;
  if (bytes <= ROUTING_MAX_BYTES) return [];
  return [
    {
      path: "routing",
      code: "too_big",
      message: `routing must have at most ${ROUTING_MAX_BYTES} bytes as JSON, not ${bytes}`,
    },
  ];
}

/** Only conditions that are valid in themselves can be compared. */
function readableCondition(rule: unknown, index: number): { index: number; if: RuleCondition }[] {
  const condition = isRecord(rule) ? Condition.safeParse(rule.if) : null;
  return condition?.success ? [{ index, if: condition.data }] : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
