/** The steps of a first visit, and what the browser remembers of them. Pure. */
import type { AccountInfo } from "../../../core/contract/dashboard.ts";
import { DAY_MS } from "../../../core/durations.ts";

export const FIRST_STEPS = ["link", "click", "rule", "key", "domain"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** A page of the list. */
const LINKS_OF_BEGINNERS_MAX = 20;
const CLICKS_OF_BEGINNERS_MAX = 100;

/** Who has had an account for longer is at home here. */
const SHOWN_FOR_DAYS = 30;

export interface FirstStepsMemory {
  isDismissed: boolean;
  /** Stays done when the link or key is deleted later. */
  done: readonly FirstStep[];
}

/** @param text  as it was stored, or whatever else lies there */
export function parseFirstSteps(text: string | undefined): FirstStepsMemory {
  try {
    const stored: unknown = JSON.parse(text ?? "");
    if (typeof stored !== "object" || stored === null) return { isDismissed: false, done: [] };
    const done = "done" in stored && Array.isArray(stored.done) ? stored.done : [];
    return {
      isDismissed: "isDismissed" in stored && stored.isDismissed === true,
      done: FIRST_STEPS.filter((step) => done.includes(step)),
    };
  } catch {
    return { isDismissed: false, done: [] };
  }
}

/** The Free plan has no rules: that step is shown to it, but not counted. */
export function countedSteps(plan: AccountInfo["plan"]): FirstStep[] {
  return FIRST_STEPS.filter((step) => step !== "rule" || plan === "premium");
}

/** @param links  of the account, as far as they were read @param clicks  of the newest of them, in the last 30 days */
export function isBeyondFirstSteps({ links, clicks }: { links: number; clicks: number }): boolean {
  return links > LINKS_OF_BEGINNERS_MAX || clicks > CLICKS_OF_BEGINNERS_MAX;
}

export function areFirstStepsShown(
  { isDismissed, done }: FirstStepsMemory,
  { plan, created_at }: Pick<AccountInfo, "plan" | "created_at">,
  now: number,
): boolean {
  const isNew = now - Date.parse(created_at) < SHOWN_FOR_DAYS * DAY_MS;
  return isNew && !isDismissed && !countedSteps(plan).every((step) => done.includes(step));
}
