/** QR codes: create, list, retrieve, rename, archive. */
import type { MiddlewareHandler } from "hono";
import * as z from "zod";

import {
  CreateQrCode,
  ListQrCodesQuery,
  QrCode,
  QrCodePage,
  QrId,
  UpdateQrCode,
} from "../../core/contract/qr-codes.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { cdnUrl } from "../../core/deployment/settings.ts";
import { shortUrl } from "../../core/hosts.ts";
import { imageName, imageType } from "../../core/images/image-names.ts";
import { CONTRAST_MIN, contrastRatio } from "../../core/qr/colors.ts";
import { newQrId, QR_ID_RANDOM_WORDS, scanUrl } from "../../core/qr/token.ts";
import { parseLogo } from "../../core/qr/logo.ts";
import { timestamp } from "../../core/time.ts";
import { IMAGE_CACHE_CONTROL } from "../../store/images/images.ts";
import { readLinkOrTombstone, readLink } from "../../store/links/links.ts";
import { requireNotTransferred } from "../../store/domains/domain-holders.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import {
  createQrCode,
  listQrCodes,
  type QrChanges,
  type QrRecord,
  readImage,
  readQrCode,
  updateQrCode,
} from "../../store/qr-codes.ts";
import { type ApiEnv, createHandlers, type JsonResponse, respondJson, respondPage, wirePage } from "../context.ts";
import { requireApiCreated } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { body, idempotent, noQuery, pathParam, query, sentMembers } from "../middleware/input.ts";
import { documented, postDoc, type RouteDoc } from "../openapi/route-doc.ts";

const createQrCodeDoc = postDoc({
  id: "createQrCode",
  tag: "QR codes",
  summary: "Create a QR code",
  description: `Draws the link's short URL with a token that distinguishes scans of this code from clicks and from scans of other codes. If you change the link later, the code leads to the new destination, and the image stays the same. The contrast of the colors must be at least ${CONTRAST_MIN}:1.`,
  ok: { status: 201, description: "The created code.", schema: QrCode },
  errors: ["link_not_found", "link_not_api_created", "domain_transferred", "contrast_too_low", "size_too_small"],
});

const listQrCodesDoc: RouteDoc = {
  id: "listQrCodes",
  tag: "QR codes",
  summary: "List QR codes",
  description:
    "Returns codes, newest first, with their current scan counts. The list includes codes of deleted links, but not codes of links that were created in the dashboard. Archived codes are listed only with `archived=true`.",
  ok: { status: 200, description: "A page of codes.", schema: QrCodePage, headers: ["Link"] },
  errors: ["link_not_found", "link_not_api_created"],
};

const getQrCodeDoc: RouteDoc = {
  id: "getQrCode",
  tag: "QR codes",
  summary: "Retrieve a QR code",
  description:
    "Returns the properties of the code and its current scan count, not the image. The code remains available after its link is deleted.",
  ok: { status: 200, description: "The code.", schema: QrCode },
};

const updateQrCodeDoc: RouteDoc = {
  id: "updateQrCode",
  tag: "QR codes",
  summary: "Rename or archive a QR code",
  description:
    "Changes how the code is listed, also after its link is deleted. The image never changes. An archived code still leads to its link.",
  ok: { status: 200, description: "The updated code.", schema: QrCode },
};

/** Runs before the query or body is validated: an unknown code answers 404 whatever else is wrong. */
const loadQrCode: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    c.set("qrCode", await readQrCode(c.env, c.var.caller, pathParam(c, "id")));
    await next();
  },
  { params: { id: QrId }, errors: ["qr_not_found"] },
);

const QR_NEED = "QR codes require a link created through the API.";

/** The body with its logo parsed. Parsed only once, because that is the most expensive part. */
const ParsedCreateQrCode = CreateQrCode.extend({
  logo: z
    .string()
    .transform((uri, context) => {
      const logo = parseLogo(uri);
      if (!("fault" in logo)) return logo;
      context.addIssue({ code: "custom", message: logo.fault });
      return z.NEVER;
    })
    .optional(),
});

export const createQrCodeRoute = createHandlers(
  access("qr:write", createQrCodeDoc, "qr"),
  body(ParsedCreateQrCode, {
    resource: QrCode,
    documentedAs: CreateQrCode,
    problems: (sent, _context, _env, fits) => contrastProblemsBesideOthers(sent, fits),
  }),
  (c) =>
    idempotent(c, async () => {
      const design = c.req.valid("json");
      const { caller, hosts, idempotentRequest } = c.var;
      const link = await readLink(c.env, caller, design.link_id);
      requireApiCreated(caller, link, QR_NEED);
      await requireNotTransferred(c.env, hosts, link);
      requireContrast(design);
      const code = newQrRecord(link, design);
      const { drawQrCode } = await import("./qr-image.ts");
      const image = await drawQrCode(scanUrl(shortUrl(link, hosts), code.id), design);
      const made = wireQrCode(code, 0, cdnUrl(c.env, hosts));
      const response: JsonResponse<QrCode, 201> = { status: 201, body: made, location: `/qr/${code.id}` };
      await createQrCode(c.env, caller, code, image, idempotentRequest, response);
      return respondJson(c, response);
    }),
);

export const listQrCodesRoute = createHandlers(
  access("qr:read", listQrCodesDoc),
  query(ListQrCodesQuery),
  async (c) => {
    const { caller } = c.var;
    const asked = c.req.valid("query");
    if (asked.link_id !== undefined) {
      const { link } = await readLinkOrTombstone(c.env, caller, asked.link_id);
      requireApiCreated(caller, link, QR_NEED);
    }
    const { items, nextCursor } = await listQrCodes(c.env, caller, asked);
    const data = items.map(({ code, scans }) => wireQrCode(code, scans, cdnUrl(c.env, c.var.hosts)));
    return respondPage(c, wirePage(data, nextCursor) satisfies QrCodePage);
  },
);

export const getQrCodeRoute = createHandlers(access("qr:read", getQrCodeDoc), loadQrCode, noQuery, (c) => {
  const { code, scans } = c.var.qrCode;
  return respondJson(c, { status: 200, body: wireQrCode(code, scans, cdnUrl(c.env, c.var.hosts)) });
});

export const updateQrCodeRoute = createHandlers(
  access("qr:write", updateQrCodeDoc),
  loadQrCode,
  body(UpdateQrCode, { resource: QrCode }),
  async (c) => {
    const { name, archived } = c.req.valid("json");
    const changes = sentMembers<QrChanges>({ name, archived: archived === null ? false : archived });
    const { code, scans } = c.var.qrCode;
    const changed = await updateQrCode(c.env, c.var.caller, code.id, changes);
    return respondJson(c, { status: 200, body: wireQrCode(changed, scans, cdnUrl(c.env, c.var.hosts)) });
  },
);

type Colors = Pick<CreateQrCode, "fg" | "bg">;

/**
 * Adds the contrast to the problems of a body that has others. A contrast problem alone has its own error code, which
 * `requireContrast` throws.
 * @param fits  whether the body fits its schema
 */
function contrastProblemsBesideOthers(sent: unknown, fits: boolean): Problem[] {
  if (fits) return [];
  const colors = CreateQrCode.pick({ fg: true, bg: true }).loose().safeParse(sent);
  return colors.success ? contrastProblems(colors.data) : [];
}

/** @throws ApiError contrast_too_low */
function requireContrast(colors: Colors): void {
  const [problem] = contrastProblems(colors);
  if (!problem) return;
  throw new ApiError("contrast_too_low", problem.message, { param: problem.path, errors: [problem] });
}

function contrastProblems({ fg, bg }: Colors): Problem[] {
  const ratio = contrastRatio(fg, bg);
  if (ratio >= CONTRAST_MIN) return [];
  const message = `fg and bg must have a contrast of at least ${CONTRAST_MIN}:1, got ${roundedDown(ratio)}:1`;
  return [{ path: "fg", code: "contrast_too_low", message }];
}

/** Rounds down: rounding to the nearest could show the minimum itself. */
function roundedDown(ratio: number): string {
  return (Math.floor(ratio * 1_000) / 1_000).toString();
}

/** An SVG is a document: if it is opened directly, it may run, load and submit nothing. */
const SVG_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
const IMAGE_CSP = "default-src 'none'; sandbox";

export const getQrImageRoute = createHandlers(async (c) => {
  const name = pathParam(c, "name");
  const image = await readImage(c.env, name, c.req.header("If-None-Match") ?? null);
  if (!image) throw new ApiError("not_found");
  const type = imageType(name);
  const headers: Record<string, string> = {
    ETag: image.etag,
    // Any site may draw the image on a canvas. It is public already.
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
    "Content-Type": type,
    "Cache-Control": IMAGE_CACHE_CONTROL,
    "Content-Security-Policy": type === "image/svg+xml" ? SVG_CSP : IMAGE_CSP,
  };
  return image.body
    ? new Response(image.body, { headers: { ...headers, "Content-Length": String(image.size) } })
    : new Response(null, { status: 304, headers });
});

function newQrRecord(link: LinkRecord, sent: Omit<CreateQrCode, "logo">): QrRecord {
  const now = Date.now();
  return {
    id: newQrId(link.qrKey, now, crypto.getRandomValues(new Uint32Array(QR_ID_RANDOM_WORDS))),
    linkId: link.id,
    format: sent.format,
    size: sent.size,
    fg: sent.fg.toUpperCase(),
    bg: sent.bg.toUpperCase(),
    createdAt: now,
    name: sent.name ?? null,
    archived: sent.archived ?? false,
  };
}

function wireQrCode(code: QrRecord, scans: number, cdnUrl: string): QrCode {
  return {
    id: code.id,
    link_id: code.linkId,
    format: code.format,
    size: code.size,
    fg: code.fg,
    bg: code.bg,
    url: `${cdnUrl.replace(/\/$/, "")}/${imageName(code)}`,
    scans,
    created_at: timestamp(code.createdAt),
    ...(code.name === null ? {} : { name: code.name }),
    ...(code.archived ? { archived: true } : {}),
  };
}
