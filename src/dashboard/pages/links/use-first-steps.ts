/** The completed steps of a first visit, from the account's own data, stored in the browser. */
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";

import type { AccountInfo } from "../../../core/contract/dashboard.ts";
import type { Link } from "../../../core/contract/links.ts";
import { DAY_MS } from "../../../core/time.ts";
import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { keysQuery, useAccount } from "../../api/account.ts";
import { type ApiClient, apiClients, queryClient, unwrap } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { useMode } from "../../mode.ts";
import { rowStatsQuery } from "./row-stats.ts";

export const FIRST_STEPS = ["link", "click", "rule", "key", "domain"] as const;
export type FirstStep = (typeof FIRST_STEPS)[number];

/** One page of the list. */
const LINKS_OF_BEGINNERS_MAX = 20;
const CLICKS_OF_BEGINNERS_MAX = 100;

/** Older accounts do not see the steps. */
const SHOWN_FOR_DAYS = 30;

/** A step stays done if the link or key is deleted later. */
const NOTHING_DONE = { isDismissed: false, done: [] as readonly FirstStep[] };
type FirstStepsMemory = typeof NOTHING_DONE;

/**
 * @param text  as stored, or any other text
 * @internal
 */
export function parseFirstSteps(text: string | undefined): FirstStepsMemory {
  try {
    const { isDismissed, done } = (JSON.parse(text ?? "") ?? {}) as Partial<Record<keyof FirstStepsMemory, unknown>>;
    const known: unknown[] = Array.isArray(done) ? done : [];
    return { isDismissed: isDismissed === true, done: FIRST_STEPS.filter((step) => known.includes(step)) };
  } catch {
    return NOTHING_DONE;
  }
}

/** The Free plan has no rules: that step is shown, but not counted. */
export function countedSteps(plan: AccountInfo["plan"]): FirstStep[] {
  return FIRST_STEPS.filter((step) => step !== "rule" || plan === "premium");
}

/**
 * @param links  number read so far @param clicks  of the newest of them, in the last 30 days
 * @internal
 */
export function isBeyondFirstSteps({ links, clicks }: { links: number; clicks: number }): boolean {
  return links > LINKS_OF_BEGINNERS_MAX || clicks > CLICKS_OF_BEGINNERS_MAX;
}

/** @internal */
export function areFirstStepsShown(
  { isDismissed, done }: FirstStepsMemory,
  { plan, created_at }: Pick<AccountInfo, "plan" | "created_at">,
  now: number,
): boolean {
  const isNew = now - Date.parse(created_at) < SHOWN_FOR_DAYS * DAY_MS;
  return isNew && !isDismissed && !countedSteps(plan).every((step) => done.includes(step));
}

/** Whether a visit of the link is redirected and counted now. */
export function acceptsVisits(
  { paused, starts_at, expires_at }: Pick<Link, "paused" | "starts_at" | "expires_at">,
  now: number,
): boolean {
  return !paused && !(starts_at && Date.parse(starts_at) > now) && !(expires_at && Date.parse(expires_at) <= now);
}

/** The notices fetch the keys as the page loads. No key is created in another tab within this time. */
const SAME_LOAD_MS = 5_000;

/** Links whose clicks are checked, newest first. */
const CLICKED_LINKS_MAX = 5;

/** @returns null if they are not shown: dismissed, all done, no longer needed, in test mode, or not known yet */
export function useFirstSteps() {
  const { mode } = useMode();
  const { data: account } = useAccount();
  const [memory, setMemory] = useLocalStorage<FirstStepsMemory>({
    key: `hoplink-first-steps-${account?.id}`,
    defaultValue: NOTHING_DONE,
    getInitialValueInEffect: false,
    deserialize: parseFirstSteps,
    serialize: (value) => JSON.stringify(value),
  });
  const isShown = mode === "live" && account !== undefined && areFirstStepsShown(memory, account, Date.now());
  const found = useQuery({
    queryKey: ["live", "links", "first-steps"],
    queryFn: ({ signal }) => findDoneSteps(apiClients.live, signal),
    enabled: isShown,
    // Checked again when the user returns from the tab in which the link was opened.
    staleTime: 0,
  });
  const isBeyond = found.data?.isBeyond ?? false;
  const newlyDone = found.data?.done.filter((step) => !memory.done.includes(step)) ?? [];
  useEffect(() => {
    // Stored, so that the next visit fetches nothing.
    if (isShown && isBeyond) setMemory((before) => ({ ...before, isDismissed: true }));
    else if (newlyDone.length > 0) setMemory((before) => ({ ...before, done: [...before.done, ...newlyDone] }));
  });
  if (!isShown || !found.data || isBeyond) return null;
  return {
    done: memory.done,
    /** The newest link, to add a rule. */
    newest: found.data.newest,
    /** The newest link that can be opened. */
    open: found.data.open,
    dismiss: () => setMemory((before) => ({ ...before, isDismissed: true })),
  };
}

export type FirstSteps = NonNullable<ReturnType<typeof useFirstSteps>>;

async function findDoneSteps(api: ApiClient, signal: AbortSignal) {
  const [links, keys, domains] = await Promise.all([
    unwrap(api.links.$get({ query: { limit: String(PAGE_LINKS_MAX), archived: "any" } }, { init: { signal } })),
    queryClient.fetchQuery({ ...keysQuery, staleTime: SAME_LOAD_MS }),
    queryClient.fetchQuery(domainsQuery("live")),
  ]);
  const clicks = await countClicks(links.data.slice(0, CLICKED_LINKS_MAX));
  const results: Record<FirstStep, boolean> = {
    link: links.data.length > 0,
    click: clicks > 0,
    rule: links.data.some(({ routing }) => routing.length > 0),
    key: keys.data.length > 0,
    domain: domains.some(({ status }) => status === "active"),
  };
  return {
    newest: links.data[0],
    open: links.data.find((link) => acceptsVisits(link, Date.now())),
    isBeyond: isBeyondFirstSteps({ links: links.data.length, clicks }),
    done: (Object.keys(results) as FirstStep[]).filter((step) => results[step]),
  };
}

async function countClicks(links: readonly Link[]): Promise<number> {
  const stats = await Promise.allSettled(
    links.map(({ id }) => queryClient.fetchQuery({ ...rowStatsQuery("live", id), staleTime: 0 })),
  );
  return stats.reduce((sum, one) => sum + (one.status === "fulfilled" ? one.value.total : 0), 0);
}
