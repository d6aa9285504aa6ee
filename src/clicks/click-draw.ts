/** Copies a link's clicks for its account's log. Loaded only for draws. */
import { encodeBlock } from "../core/clicks/encoding/click-block.ts";
import { joinClicks } from "../core/clicks/encoding/click-pool.ts";
import { clicksOfSlice } from "../core/clicks/counting/scanned-clicks.ts";
import { type ClickSlice, valueAt } from "../core/clicks/encoding/click-batch.ts";
import { DRAW_CLICKS_MAX, type DrawRequest, type DrawResult } from "../core/clicks/protocol/link-object-rpc.ts";
import type { RouteKeysLookup } from "../core/clicks/counting/groupings.ts";
import type { RouteKeys } from "../core/links/link-snapshot.ts";
import type { ClickLog, StoredSlice } from "./click-log.ts";

/** @param end  position of the first click that is not needed yet */
export function drawClicks(
  log: ClickLog,
  routesOf: RouteKeysLookup,
  { from, maxBytes }: DrawRequest,
  end: number,
): DrawResult {
  const slices: StoredSlice[] = [];
  const routes: Record<string, RouteKeys> = {};
  let [next, bytes] = [from, 0];
  for (const slice of log.slices(from, Math.min(end, from + DRAW_CLICKS_MAX))) {
    slices.push(slice);
    next = slice.position + slice.to;
    bytes += slice.bytes + addRoutes(routes, routesOf, slice);
    if (bytes >= maxBytes) break;
  }
  const clicks = encodeBlock(joinClicks(slices.map(clicksOfSlice)));
  return { kind: "drawn", clicks, routes, next, more: next < end, hasLater: log.count > end };
}

/** @returns number of characters added */
function addRoutes(routes: Record<string, RouteKeys>, routesOf: RouteKeysLookup, slice: ClickSlice): number {
  const rules = new Set<string>();
  for (let i = slice.from; i < slice.to; i++) rules.add(valueAt(slice.columns.rule, i));
  let chars = 0;
  for (const rule of rules) {
    const route = `${slice.revision}.${rule}`;
    const keys = Object.hasOwn(routes, route) ? null : routesOf(route);
    if (!keys) continue;
    routes[route] = keys;
    chars += keys.rule.length + keys.destination.length;
  }
  return chars;
}
