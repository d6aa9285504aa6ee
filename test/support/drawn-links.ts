/** Links whose clicks are in memory, drawn as the account's log draws them from links' objects. */
import type { DrawnClicks } from "../../src/clicks/account/drawn-clicks.ts";
import type { AccountGrouping } from "../../src/core/clicks/counting/groupings.ts";
import { unpackColumns, unpackTimes } from "../../src/core/clicks/encoding/click-batch.ts";
import { encodeBlock } from "../../src/core/clicks/encoding/click-block.ts";
import { joinClicks } from "../../src/core/clicks/encoding/click-pool.ts";
import { factKey } from "../../src/core/clicks/facts.ts";
import { clicksOfSlice } from "../../src/core/clicks/counting/scanned-clicks.ts";
import type { RouteKeys } from "../../src/core/links/link-snapshot.ts";
import { type Click, packClicks } from "./pack-clicks.ts";

export interface LinkClick extends Click {
  revision: number;
}

export interface TestLink {
  id: string;
  domain: string;
  tags: string[];
  clicks: LinkClick[];
}

export type SentClick = LinkClick & { link: TestLink };

function keysOfRoute(link: TestLink, revision: number, rule: string): RouteKeys {
  return {
    rule: rule === "" ? "default" : `city is "${rule}, \n${revision % 2}"`,
    destination: rule === "" ? `https://example.com/${link.id}` : `https://example.com/shared/${rule}`,
  };
}

const keysOf: Record<string, (click: SentClick) => string[]> = {
  link: ({ link }) => [link.id],
  tag: ({ link }) => (link.tags.length > 0 ? link.tags : ["none"]),
  domain: ({ link }) => [link.domain],
  rule: ({ link, revision, rule }) => [keysOfRoute(link, revision, rule).rule],
  destination: ({ link, revision, rule }) => [keysOfRoute(link, revision, rule).destination],
  revision: ({ revision }) => [String(revision)],
  source: ({ qr }) => [qr ? "qr" : "link"],
  qr: ({ qr }) => [qr || "none"],
  imported: () => ["false"],
};

export function keysOfClick(click: SentClick, grouping: AccountGrouping): string[] {
  return keysOf[grouping]?.(click) ?? [factKey(grouping as "country", click[grouping as "country"] ?? "")];
}

/** The answer of a link's object: its clicks from a position to before another. */
export function draw(link: TestLink, from: number, to: number): DrawnClicks {
  const clicks = link.clicks.slice(from, to);
  const revisions = [...new Set(clicks.map(({ revision }) => revision))];
  const slices = revisions.map((revision) => {
    const packed = packClicks(clicks.filter((click) => click.revision === revision));
    const columns = unpackColumns(packed.columns);
    return { position: 0, revision, columns, times: unpackTimes(packed), from: 0, to: packed.count };
  });
  const routes = clicks.map(
    ({ revision, rule }) => [`${revision}.${rule}`, keysOfRoute(link, revision, rule)] as const,
  );
  return { clicks: encodeBlock(joinClicks(slices.map(clicksOfSlice))), routes: Object.fromEntries(routes) };
}
