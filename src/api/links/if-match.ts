/** `If-Match` on requests that change a link. */
import type { Context } from "hono";

import type { ExpectedRevisions } from "../../store/links/links.ts";
import type { ApiEnv } from "../context.ts";

/** The revisions that `If-Match` names. A weak or foreign tag matches none: strong comparison (RFC 9110, 13.1.1). */
export function expectedRevisions(c: Context<ApiEnv>): ExpectedRevisions {
  const header = c.req.header("If-Match")?.trim();
  if (header === undefined || header === "*") return null;
  return header.split(",").flatMap((tag) => {
    const revision = /^"([0-9]{1,15})"$/.exec(tag.trim())?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
}
