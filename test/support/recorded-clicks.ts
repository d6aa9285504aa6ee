/** Made-up clicks in the logs of links that the API created, and the clicks that it answers with. */
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";

import type { PackedClicks } from "../../src/core/clicks/encoding/click-batch.ts";
import type { Click as WireClick } from "../../src/core/contract/clicks.ts";
import type { Link } from "../../src/core/contract/links.ts";
import { snapshotAt } from "../bench/bench-link.ts";
import { type Click, packClicks } from "./pack-clicks.ts";
import { BASE_URL, type TestAccount } from "./test-accounts.ts";

export const NDJSON = { Accept: "application/x-ndjson" };

export type Query = Record<string, string | number>;

export const objectOf = (link: Link) => env.LINK_CLICKS.getByName(`${link.domain}/${link.slug.toLowerCase()}`);

let batches = 0;

export async function recordClicks(
  link: Link,
  clicks: readonly Click[] | PackedClicks,
  snapshot: Partial<ReturnType<typeof snapshotAt>> = {},
): Promise<void> {
  const known = { ...snapshotAt(1), id: link.id, domain: link.domain, slug: link.slug, url: link.url, routing: [] };
  const result = await objectOf(link).record({
    id: 2 ** 40 + ++batches,
    revision: snapshot.revision ?? 1,
    clicks: "columns" in clicks ? clicks : packClicks(clicks),
    snapshot: { ...known, ...snapshot },
  });
  expect(result.kind).toBe("recorded");
}

export function clicksPath(link: Link, query: Query = {}): string {
  return `/v1/links/${link.id}/clicks?${searchOf(query)}`;
}

export function searchOf(query: Query): URLSearchParams {
  return new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]));
}

export function openExport(by: TestAccount, path: string, accept: Record<string, string>): Promise<Response> {
  return exports.default.fetch(BASE_URL + path, { headers: { Authorization: `Bearer ${by.key}`, ...accept } });
}

/** The runtime warns when a body that is not declared as text is read as text. */
export async function textOf(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer());
}

/** The lines of an export. */
export function rowsIn<Row = WireClick>(text: string): Row[] {
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);
}

/** Everything received before the connection breaks. */
export async function readUntilBroken(response: Response): Promise<{ text: string; error: string }> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
  } catch (error) {
    return { text, error: String(error) };
  }
  throw new Error("the export seems whole");
}
