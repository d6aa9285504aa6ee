/** Creates the links of a file. A repeat within a day makes nothing twice. */
import { createHash } from "node:crypto";

import { BULK_LINKS_MAX } from "../../../core/limits.ts";
import type { LinkResult } from "../../index.ts";
import type { Session } from "../session.ts";
import type { FileLink } from "./read-links.ts";

export interface ImportedLink {
  line: number;
  result: LinkResult;
}

/** In the order of the file, as their requests are answered. */
export async function* createLinks({ hoplink, io }: Session, links: readonly FileLink[]): AsyncGenerator<ImportedLink> {
  for (let start = 0; start < links.length; start += BULK_LINKS_MAX) {
    const piece = links.slice(start, start + BULK_LINKS_MAX);
    const bodies = piece.map(({ link }) => link);
    const idempotencyKey = keyOf(start, bodies);
    const results = await hoplink.links.createMany(bodies, { idempotencyKey, signal: io.signal });
    for (const [i, result] of results.entries()) yield { line: piece[i]?.line ?? 0, result };
  }
}

/** Of the links and their place: a file may have the same hundred links twice. */
function keyOf(start: number, bodies: readonly unknown[]): string {
  return `import-${createHash("sha256")
    .update(JSON.stringify([start, bodies]))
    .digest("hex")}`;
}
