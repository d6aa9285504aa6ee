/** The time during which a link is open: from `starts_at` until just before `expires_at`, in this order. Pure. */
import type { Problem } from "../errors.ts";
import { timestamp } from "../time.ts";

/** Epoch ms; null for no limit. */
export interface OpeningTimes {
  startsAt: number | null;
  expiresAt: number | null;
}

/** The times that a request sets; undefined leaves the stored time. */
export type ChangedTimes = { [Member in keyof OpeningTimes]?: OpeningTimes[Member] | undefined };

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
