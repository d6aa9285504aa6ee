/** QR codes of links. */
import * as z from "zod";

import {
  LOGO_MAX_BYTES,
  PAGE_QR_CODES_MAX,
  QR_MARGIN_MAX_MODULES,
  QR_NAME_MAX_CHARS,
  QR_SIZE_DEFAULT_PX,
  QR_SIZE_MAX_PX,
  QR_SIZE_MIN_PX,
  QUIET_ZONE_MODULES,
} from "../limits.ts";
import { CONTRAST_MIN } from "../qr/colors.ts";
import { displayName } from "./link-members.ts";
import { LinkId } from "./links.ts";
import { pageQuery, pageShape, TimestampOut } from "./primitives.ts";

const QR_FORMATS = ["png", "svg"] as const;

const Color = z.string().regex(/^#[0-9A-Fa-f]{6}$/, "must be # and six hex digits, such as #1A2B3C");

/** The data URI as sent; `api/qr/qr-codes.ts` decodes and checks the image. */
const Logo = z.string().meta({
  description: `Data URI of a PNG, a JPEG or an SVG with plain shapes, at most ${LOGO_MAX_BYTES / 1024} KiB. It is drawn in the center, and \`ecc\` is set to \`H\`.`,
});

const QR_SIZE_MESSAGE = `must be ${QR_SIZE_MIN_PX} to ${QR_SIZE_MAX_PX} pixels`;

const QR_MARGIN_MESSAGE = `must be 0 to ${QR_MARGIN_MAX_MODULES} modules`;

/** Members that can change: the image and the link of a printed code cannot. */
const CHANGEABLE_MEMBERS = {
  name: displayName(QR_NAME_MAX_CHARS)
    .nullish()
    .meta({ description: "Display name, shown in lists and statistics. Scanners never see it.", examples: ["Poster"] }),
  archived: z
    .boolean()
    .nullish()
    .meta({ description: "Whether lists leave the code out. It still works, and its scans are counted." }),
};

export const CreateQrCode = z
  .strictObject({
    link_id: LinkId,
    format: z.enum(QR_FORMATS).default("png").meta({ description: "Image format." }),
    size: z
      .int()
      .min(QR_SIZE_MIN_PX, QR_SIZE_MESSAGE)
      .max(QR_SIZE_MAX_PX, QR_SIZE_MESSAGE)
      .default(QR_SIZE_DEFAULT_PX)
      .meta({ description: "Width and height in pixels." }),
    fg: Color.default("#000000").meta({ description: "Color of the dark modules." }),
    bg: Color.default("#FFFFFF").meta({
      description: `Background color. The contrast must be at least ${CONTRAST_MIN}:1.`,
    }),
    margin: z
      .int()
      .min(0, QR_MARGIN_MESSAGE)
      .max(QR_MARGIN_MAX_MODULES, QR_MARGIN_MESSAGE)
      .default(QUIET_ZONE_MODULES)
      .meta({
        description: `Minimum margin in modules. If it is less than ${QUIET_ZONE_MODULES}, leave space around the code where you print it.`,
      }),
    ecc: z
      .enum(["L", "M", "Q", "H"])
      .default("M")
      .meta({ description: "Error correction: how much of the code can be damaged, about 7, 15, 25 or 30 percent." }),
    logo: Logo.optional(),
    ...CHANGEABLE_MEMBERS,
  })
  .meta({
    id: "CreateQrCode",
    examples: [{ link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b", format: "svg", size: 1024, fg: "#1A2B3C" }],
  });

export type CreateQrCode = z.output<typeof CreateQrCode>;

export const UpdateQrCode = z.strictObject(CHANGEABLE_MEMBERS).meta({
  id: "UpdateQrCode",
  description: "Omitted fields are unchanged, and `null` clears a field.",
  examples: [{ name: "Poster" }, { archived: true }],
});

export type UpdateQrCode = z.infer<typeof UpdateQrCode>;

export const QrId = z.string().meta({ description: "ID of the QR code.", examples: ["qr_01kajm2t4g8q5v7w9x3y6z1a2b"] });

const QR_CODE_EXAMPLE = {
  id: "qr_01kajm2t4g8q5v7w9x3y6z1a2b",
  link_id: "lnk_01kajm2t4g8q5v7w9x3y6z1a2b",
  format: "svg",
  size: 1024,
  fg: "#1A2B3C",
  bg: "#FFFFFF",
  url: "http://localhost:8787/cdn/qr_01kajm2t4g8q5v7w9x3y6z1a2b.svg",
  scans: 0,
  created_at: "2026-11-21T09:00:00.000Z",
};

export const QrCode = z
  .strictObject({
    id: QrId,
    link_id: LinkId,
    format: z.enum(QR_FORMATS),
    size: z.int().meta({ description: "Width and height in pixels." }),
    fg: z.string().meta({ description: "Color of the dark modules, in upper case." }),
    bg: z.string().meta({ description: "Background color, in upper case." }),
    url: z.string().meta({ description: "Permanent URL of the image. The image never changes." }),
    scans: z.int().meta({ description: "Number of scans by humans." }),
    created_at: TimestampOut,
    name: z.string().optional().meta({ description: "Omitted if not set." }),
    archived: z.literal(true).optional().meta({ description: "Omitted if the code is not archived." }),
  })
  .meta({
    id: "QrCode",
    description: "An image that encodes a link's short URL. Scans are counted separately for each code.",
    examples: [QR_CODE_EXAMPLE],
  });

export type QrCode = z.infer<typeof QrCode>;

export const ListQrCodesQuery = z.strictObject({
  ...pageQuery(PAGE_QR_CODES_MAX, "codes", /^qr_[0-9a-z]{26}$/),
  link_id: LinkId.optional().meta({ description: "Only codes of this link, even if it is deleted." }),
  archived: z
    .enum(["true", "false"])
    .default("false")
    .meta({ description: "Whether to list archived codes only. By default, they are left out." }),
});

export type ListQrCodesQuery = z.infer<typeof ListQrCodesQuery>;

const page = pageShape(QrCode);

export const QrCodePage = z
  .strictObject({
    ...page,
    data: page.data.meta({ description: "Can have fewer items than `limit`, or none, even if more follow." }),
  })
  .meta({ id: "QrCodePage", examples: [{ data: [QR_CODE_EXAMPLE], has_more: false, next_cursor: null }] });

export type QrCodePage = z.infer<typeof QrCodePage>;
