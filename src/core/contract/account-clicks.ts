/** The clicks of all links of an account and mode, in the order of time. */
import { z } from "zod";

import { parsePlace } from "../clicks/protocol/wire-click.ts";
import { csvRow } from "../encoding/csv.ts";
import { figure, PAGE_CLICKS_MAX } from "../limits.ts";
import { EXPORT_CLICKS_MAX } from "../deployment/settings.ts";
import { ACCOUNT_FILTERS } from "./stats.ts";
import { Click, CLICK_EXAMPLE, CLICK_TIMES } from "./clicks.ts";
import { filterParameters, filtersFit } from "./filters.ts";
import { decimal, TimestampOut } from "./primitives.ts";

const ACCOUNT_CLICK_EXAMPLE = { link_id: "lnk_01kaj5v8g0w3q7r9t2y4z6a8bc", domain: "hop.example", ...CLICK_EXAMPLE };
const { occurred_at, link_id, seq } = ACCOUNT_CLICK_EXAMPLE;
const PLACE_EXAMPLE = `${occurred_at},${link_id},${seq}`;

const PARAMETERS = {
  after: z
    .string()
    .refine((text) => parsePlace(text) !== null, "must be occurred_at, link_id and seq of a click, with commas between")
    .optional()
    .meta({
      description:
        "The last click already seen: its `occurred_at`, `link_id` and `seq` with commas between, or `next_after`.",
      examples: [PLACE_EXAMPLE],
    }),
  ...CLICK_TIMES,
  ...filterParameters(ACCOUNT_FILTERS),
};

const AllParameters = z.strictObject({
  ...PARAMETERS,
  limit: decimal(1, PAGE_CLICKS_MAX)
    .default(100)
    .meta({
      description: `Most clicks on the page. A CSV or NDJSON export has all where this is left out, and takes up to ${figure(EXPORT_CLICKS_MAX.paid)}.`,
    }),
});

export const AccountClicksQuery = AllParameters.superRefine(filtersFit(ACCOUNT_FILTERS));

export const AccountExportQuery = z
  .strictObject({ ...PARAMETERS, limit: decimal(1, EXPORT_CLICKS_MAX.paid).optional() })
  .superRefine(filtersFit(ACCOUNT_FILTERS));
export type AccountExportQuery = z.infer<typeof AccountExportQuery>;

export const AccountClick = z
  .strictObject({
    link_id: z.string(),
    domain: z.string(),
    ...Click.shape,
  })
  .meta({
    id: "AccountClick",
    description: "A click of any link of the account.",
    examples: [ACCOUNT_CLICK_EXAMPLE],
  });

export type AccountClick = z.infer<typeof AccountClick>;

/** The columns of a table of clicks. */
export const ACCOUNT_CLICK_COLUMNS: readonly string[] = Object.keys(AccountClick.shape);

/** For the reference alone. */
export const AccountCsvFile = z
  .string()
  .meta({ examples: [csvRow(ACCOUNT_CLICK_COLUMNS) + csvRow(Object.values(ACCOUNT_CLICK_EXAMPLE))] });

export const AccountClickPage = z
  .strictObject({
    data: z.array(AccountClick),
    has_more: z.boolean(),
    next_after: z.string().nullable().meta({
      description: "`after` of the next request, also when this page is empty; null while there is no click at all.",
    }),
    as_of: TimestampOut.meta({ description: "Clicks of all links before this instant are in the pages." }),
  })
  .meta({
    id: "AccountClickPage",
    examples: [
      {
        data: [ACCOUNT_CLICK_EXAMPLE],
        has_more: false,
        next_after: PLACE_EXAMPLE,
        as_of: "2026-11-21T18:00:00.000Z",
      },
    ],
  });

export type AccountClickPage = z.infer<typeof AccountClickPage>;
