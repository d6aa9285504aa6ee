/** Pages of links, with the clicks of each where they are asked for. */
import type { ListLinksQuery } from "../../core/contract/links.ts";
import type { Hosts } from "../../core/hosts.ts";
import { objectCallsMax } from "../../core/deployment/workers-plan.ts";
import type { Caller } from "../accounts/caller.ts";
import { countHumanClicks } from "../link-object-client.ts";
import type { LinkRecord } from "./link-rows.ts";
import { listLinks } from "./link-search.ts";
import { listLinksByClicks } from "./links-by-clicks.ts";

export interface ListedLink {
  link: LinkRecord;
  /** By people, ever; null where they were not asked for. */
  clicks: number | null;
}

export interface ListedLinkPage {
  links: ListedLink[];
  /** Cursor of the next page; null when there is none. */
  nextCursor: string | null;
}

export async function listLinkPage(
  env: Env,
  caller: Caller,
  hosts: Hosts,
  query: ListLinksQuery,
): Promise<ListedLinkPage> {
  const hasClicks = query.include === "clicks";
  const { sort } = query;
  if (sort === "-clicks") {
    const { links, nextCursor } = await listLinksByClicks(env, caller, hosts, query);
    return { links: hasClicks ? links : links.map(({ link }) => ({ link, clicks: null })), nextCursor };
  }
  // Each link's object counts its own.
  const limit = hasClicks ? Math.min(query.limit, objectCallsMax(env)) : query.limit;
  const { items, nextCursor } = await listLinks(env, caller, hosts, { ...query, sort, limit });
  const clicks = await Promise.all(items.map((link) => (hasClicks ? countHumanClicks(env, link) : null)));
  return { links: items.map((link, i) => ({ link, clicks: clicks[i] ?? null })), nextCursor };
}
