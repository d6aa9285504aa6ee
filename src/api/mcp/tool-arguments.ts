/** Arguments that several tools have. */
import { z } from "zod";

import type { Link } from "../../core/contract/links.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS } from "../../core/limits.ts";

/** Items of a list in one answer: an agent has to read them all. */
export const TOOL_PAGE_MAX = { default: 20, most: 50 } as const;

/** As part of a path: `..` would lead to another route. */
export const LinkIdIn = z
  .string()
  .regex(/^[0-9A-Za-z_]{1,64}$/, "must be the id of a link, such as lnk_01kajm2t4g8q5v7w9x3y6z1a2b")
  .meta({ description: "Id of the link (lnk_...), from find_links, which finds it by its short URL too." });

export const RevisionIn = z
  .int()
  .min(1)
  .meta({ description: "The revision that get_link answered. A link that has changed since is left as it is." });

/** It becomes a header, which does not hold every text. */
export const IdempotencyKey = z
  .string()
  .max(IDEMPOTENCY_KEY_MAX_CHARS)
  .regex(/^[!-~]+$/, "must be printable ASCII characters without spaces")
  .optional()
  .meta({
    description:
      "Any text of your own without spaces: sent again within a day with the same arguments, it makes no second link.",
  });

/**
 * Rules, without what conditions there are: agents read the schemas of all tools, and that of a rule is by far the longest.
 * Whole it stands where rules are made up, in create_link and backtest_change. The API checks them in any case.
 */
export const BriefRouting = z.array(z.looseObject({ if: z.looseObject({}), to: z.string() })) as unknown as z.ZodType<
  Rules,
  Rules
>;

type Rules = Link["routing"];

export function pageLimit(of: string) {
  return z
    .int()
    .min(1)
    .max(TOOL_PAGE_MAX.most)
    .optional()
    .meta({
      description: `Most ${of} in the answer; ${TOOL_PAGE_MAX.default} when omitted.`,
    });
}

export function linkPath(id: string): string {
  return `/links/${id}`;
}
