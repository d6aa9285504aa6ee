/** Copies a link's clicks for its account's log. Loaded only for draws. */
import { encodeBlock } from "../core/clicks/encoding/click-block.ts";
import { joinClicks } from "../core/clicks/encoding/click-pool.ts";
import type { ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { type ClickSlice, valueAt } from "../core/clicks/encoding/click-batch.ts";
import { DRAW_CLICKS_MAX, type DrawRequest, type DrawResult } from "../core/clicks/protocol/link-object-rpc.ts";
import type { RouteKeysLookup } from "../core/clicks/counting/groupings.ts";
import type { RouteKeys } from "../core/links/link-snapshot.ts";
import type { JoinedLog } from "./joined-log.ts";

/** Returns clicks with consecutive sequence numbers: the account's log counts them on from the request's. */
export function drawClicks(
  joined: JoinedLog,
  routesOf: RouteKeysLookup,
  { from, before, maxBytes }: DrawRequest,
): DrawResult {
  const drawn: ScannedClicks[] = [];
  const routes: Record<string, RouteKeys> = {};
  const end = joined.positionAt(before);
  const first = joined.positionAfter(from);
  const { log, first: base, end: endOfRun, clicksOf } = joined.runAt(first);
  let [next, bytes] = [first, 0];
  for (const slice of log.slices(first - base, Math.min(end, endOfRun, first + DRAW_CLICKS_MAX) - base)) {
    drawn.push(clicksOf(slice));
    next = base + slice.position + slice.to;
    bytes += slice.bytes + addRoutes(routes, routesOf, slice);
    if (bytes >= maxBytes) break;
  }
  const clicks = encodeBlock(joinClicks(drawn));
  const seq = next === first ? from : joined.seqBefore(next);
  return { kind: "drawn", clicks, routes, next: seq, more: next < end, hasLater: joined.count > end };
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
