/** Imports of clicks that another service has counted. */
import * as z from "zod";

import { figure, IMPORT_REQUEST_CLICKS_MAX, PAGE_LINKS_MAX, URL_MAX_CHARS } from "../limits.ts";
import { UTM_PARAMETERS, type UtmParameter } from "../visitors/utm.ts";
import { boundedText } from "./link-members.ts";
import { pageQuery, pageShape, TimestampIn } from "./primitives.ts";
import { SimulatedVisitor } from "./resolutions.ts";

export const IMPORT_ID = /^imp_[0-9a-f]{32}$/;

const LINK_EXAMPLE = "lnk_01kajm2t4g8q5v7w9x3y6z1a2b";
const IMPORT_EXAMPLE = "imp_0b5c1a6d2e9f4788a1b2c3d4e5f60718";

export const ImportId = z
  .string()
  .regex(IMPORT_ID, "must be imp_ and 32 hexadecimal digits")
  .meta({
    description: "ID of the import, chosen by you: `imp_` and 32 hexadecimal digits, such as a digest of the file.",
    examples: [IMPORT_EXAMPLE],
  });

/** Clicks before this are mistakes, epoch ms. */
export const IMPORTED_SINCE = Date.UTC(2000, 0, 1);

const { country, region, device, os, browser, language, referrer } = SimulatedVisitor.shape;
const utm = Object.fromEntries(
  UTM_PARAMETERS.map((name) => [name, z.string().max(URL_MAX_CHARS).nullish()]),
) as unknown as Record<UtmParameter, z.ZodOptional<z.ZodNullable<z.ZodString>>>;

export const ImportedClick = z
  .strictObject({
    at: TimestampIn.meta({ description: "Time of the click, from 2000 until now." }),
    user_agent: z.string().max(URL_MAX_CHARS).nullish().meta({
      description: "Device, system, browser and bots are derived from it, unless they are sent. It is not stored.",
    }),
    device: device.nullable(),
    os: os.nullable(),
    browser: browser.nullable(),
    bot: z.boolean().nullish(),
    country: country.nullable().meta({ description: "ISO 3166-1 alpha-2. Other values are unknown countries." }),
    region: region
      .nullable()
      .meta({ description: "ISO 3166-2 such as `US-TX`. Left out if it is of another country." }),
    city: boundedText(100).nullish(),
    language: language.nullable(),
    referrer: referrer.nullable(),
    ...utm,
  })
  .meta({
    id: "ImportedClick",
    description: "A click that another service has counted.",
    examples: [{ at: "2024-05-01T12:00:00.000Z", country: "DE" }],
  });

export type ImportedClick = z.infer<typeof ImportedClick>;

/** As stored. */
export interface ClicksBefore {
  clicks: number;
  /** ISO 8601. */
  until: string;
  source: string;
  /** The import that has set it. */
  import: string;
}

export const ClicksBeforeOut = z.strictObject({ clicks: z.int(), until: z.string(), source: z.string() }).meta({
  description: "Clicks counted by another service. Not in statistics.",
});

export const ImportLink = z
  .strictObject({
    offset: z.int().min(0).optional().meta({
      description: "Number of this import's clicks that come before these. Defaults to 0.",
    }),
    clicks: z
      .array(ImportedClick)
      .max(IMPORT_REQUEST_CLICKS_MAX)
      .optional()
      .meta({ description: `At most ${figure(IMPORT_REQUEST_CLICKS_MAX)} clicks, in order of time.` }),
    clicks_before: z
      .strictObject({ clicks: z.int().min(0), until: TimestampIn, source: boundedText(50) })
      .optional()
      .meta({
        description: "The number of clicks, if the service has no single ones. Sent instead of `clicks`.",
      }),
  })
  .refine(({ clicks, clicks_before }) => (clicks === undefined) !== (clicks_before === undefined), {
    path: ["clicks"],
    message: "or clicks_before must be sent, but not both",
  })
  .meta({ id: "ImportLink", examples: [{ offset: 0, clicks: [{ at: "2024-05-01T12:00:00.000Z", country: "DE" }] }] });

export type ImportLink = z.infer<typeof ImportLink>;

const ClickCount = z.int().meta({ description: "Clicks of the import that the link has." });

export const ImportedLink = z
  .strictObject({ object: z.literal("import_link"), import: z.string(), link: z.string(), clicks: ClickCount })
  .meta({
    id: "ImportedLink",
    examples: [{ object: "import_link", import: IMPORT_EXAMPLE, link: LINK_EXAMPLE, clicks: 1 }],
  });

export const ImportQuery = z.strictObject(pageQuery(PAGE_LINKS_MAX, "links", /^lnk_[0-9a-z]{26}$/));

export const Import = z
  .strictObject({
    object: z.literal("import"),
    id: z.string(),
    ...pageShape(z.strictObject({ link: z.string(), clicks: ClickCount })),
  })
  .meta({
    id: "Import",
    examples: [
      {
        object: "import",
        id: IMPORT_EXAMPLE,
        data: [{ link: LINK_EXAMPLE, clicks: 1 }],
        has_more: false,
        next_cursor: null,
      },
    ],
  });

export const ImportUndo = z
  .strictObject({
    object: z.literal("import"),
    id: z.string(),
    remaining: z.int().meta({ description: "Links whose clicks are still to be removed, at most 1,000." }),
  })
  .meta({ id: "ImportUndo", examples: [{ object: "import", id: IMPORT_EXAMPLE, remaining: 0 }] });
