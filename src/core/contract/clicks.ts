/** The click log of a link. */
import * as z from "zod";

import { GROUPINGS } from "../clicks/counting/groupings.ts";
import { factExample, mapFacts } from "../clicks/facts.ts";
import { parsePlace } from "../clicks/protocol/account-object-rpc.ts";
import { EXPORT_CLICKS_MAX } from "../deployment/settings.ts";
import { csvRow } from "../encoding/csv.ts";
import { figure, PAGE_CLICKS_MAX } from "../limits.ts";
import { CLICK_CLASSES } from "../visitors/fact-values.ts";
import { decimal, FROM_EXAMPLE, TimestampIn, TimestampOut, TO_EXAMPLE } from "./primitives.ts";
import { ACCOUNT_FILTERS, excludedFilters, filterParameters, filtersFit } from "./stats.ts";

export const CLICK_TIMES = {
  from: TimestampIn.optional().meta({ description: "Only clicks at or after this time.", ...FROM_EXAMPLE }),
  to: TimestampIn.optional().meta({ description: "Only clicks before this time.", ...TO_EXAMPLE }),
};

const CLICK_RANGE = {
  after: decimal(0)
    .default(0)
    .meta({ description: "Sequence number of the last click that you have received.", examples: [0] }),
  ...CLICK_TIMES,
};
const FILTERS = filterParameters(GROUPINGS);

const PageLimit = decimal(1, PAGE_CLICKS_MAX)
  .default(100)
  .meta({
    description: `Maximum number of clicks on the page. CSV and NDJSON exports contain all clicks by default, and at most ${figure(EXPORT_CLICKS_MAX.paid)} with a limit.`,
  });
const ExportLimit = decimal(1, EXPORT_CLICKS_MAX.paid).optional();

export const ClicksQuery = z
  .strictObject({ ...CLICK_RANGE, limit: PageLimit, ...FILTERS })
  .superRefine(filtersFit(GROUPINGS));

export const ExportQuery = z
  .strictObject({ ...CLICK_RANGE, limit: ExportLimit, ...FILTERS })
  .superRefine(filtersFit(GROUPINGS));
/** In the dashboard's API. */
export const DashboardExportQuery = ExportQuery.safeExtend({ exclude: excludedFilters(GROUPINGS) });
export type ExportQuery = z.infer<typeof ExportQuery>;

const CLICK_EXAMPLE = {
  seq: 1,
  occurred_at: "2026-11-21T09:10:00.000Z",
  class: "human",
  revision: 2,
  ...mapFacts(factExample),
  rule: "country=DE",
  destination: "https://example.com/de",
  source: "link",
  qr_id: null,
  address: "hop.example/spring",
  imported: false,
};

export const Click = z
  .strictObject({
    seq: z.int().meta({
      description: "Sequence number of the click: 1, 2, 3 … for each link, without gaps, unless an import was undone.",
    }),
    occurred_at: TimestampOut,
    class: z.enum(CLICK_CLASSES),
    revision: z.int().meta({ description: "Revision of the link whose rules chose the destination." }),
    ...mapFacts(() => z.string()),
    rule: z.string(),
    destination: z.string(),
    source: z.string(),
    qr_id: z.string().nullable(),
    address: z.string(),
    imported: z.boolean().meta({ description: "Whether an import has added the click." }),
  })
  .meta({
    id: "Click",
    description: "A click. Its values are the same as the keys in statistics.",
    examples: [CLICK_EXAMPLE],
  });

export type Click = z.infer<typeof Click>;

/** Column names of a click table. */
export const CLICK_COLUMNS: readonly string[] = Object.keys(Click.shape);

/** For the reference only. */
export const CsvFile = z.string().meta({ examples: [csvRow(CLICK_COLUMNS) + csvRow(Object.values(CLICK_EXAMPLE))] });

export const ClickPage = z
  .strictObject({
    data: z.array(Click),
    has_more: z.boolean(),
    next_after: z.int().meta({ description: "`after` for the next request, even if this page is empty." }),
  })
  .meta({ id: "ClickPage", examples: [{ data: [CLICK_EXAMPLE], has_more: false, next_after: 1 }] });

export type ClickPage = z.infer<typeof ClickPage>;

/** The clicks of all links of an account and mode, in time order. */

const ACCOUNT_CLICK_EXAMPLE = { link_id: "lnk_01kaj5v8g0w3q7r9t2y4z6a8bc", domain: "hop.example", ...CLICK_EXAMPLE };
const { occurred_at, link_id, seq } = ACCOUNT_CLICK_EXAMPLE;
const PLACE_EXAMPLE = `${occurred_at},${link_id},${seq}`;

const PARAMETERS = {
  after: z
    .string()
    .refine((text) => parsePlace(text) !== null, "must be occurred_at, link_id and seq of a click, separated by commas")
    .optional()
    .meta({
      description:
        "The last click that you have received: its `occurred_at`, `link_id` and `seq`, separated by commas, or `next_after`.",
      examples: [PLACE_EXAMPLE],
    }),
  ...CLICK_TIMES,
  ...filterParameters(ACCOUNT_FILTERS),
};

export const AccountClicksQuery = z
  .strictObject({ ...PARAMETERS, limit: PageLimit })
  .superRefine(filtersFit(ACCOUNT_FILTERS));

export const AccountExportQuery = z
  .strictObject({ ...PARAMETERS, limit: ExportLimit })
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
    description: "A click on any link of the account.",
    examples: [ACCOUNT_CLICK_EXAMPLE],
  });

export type AccountClick = z.infer<typeof AccountClick>;

/** Column names of a click table. */
export const ACCOUNT_CLICK_COLUMNS: readonly string[] = Object.keys(AccountClick.shape);

/** For the reference only. */
export const AccountCsvFile = z
  .string()
  .meta({ examples: [csvRow(ACCOUNT_CLICK_COLUMNS) + csvRow(Object.values(ACCOUNT_CLICK_EXAMPLE))] });

export const AccountClickPage = z
  .strictObject({
    data: z.array(AccountClick),
    has_more: z.boolean(),
    next_after: z.string().nullable().meta({
      description: "`after` for the next request, even if this page is empty. Null if no clicks exist.",
    }),
    as_of: TimestampOut.meta({ description: "The pages contain the clicks of all links before this time." }),
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
