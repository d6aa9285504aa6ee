/** QR codes: make one, retrieve one (spec 2.4, 4.4, 4.5); and their images, where no bucket has a domain of its own. */
import { Hono } from "hono";
import { z } from "zod";

import { CreateQrCode, QrCode, QrId } from "../../core/contract/qr-codes.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { shortUrl } from "../../core/hosts.ts";
import { CONTRAST_MIN, contrastRatio } from "../../core/qr/contrast.ts";
import { parseLogo } from "../../core/qr/logo.ts";
import { scanUrl, newQrId, QR_ID_RANDOM_WORDS } from "../../core/qr/token.ts";
import { requireDomainNotTransferred } from "../../store/links/inherited-links.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { readLink } from "../../store/links/links.ts";
import { createQrCode, type QrRecord, readImage, readQrCode, type StoredImage } from "../../store/qr-codes.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { routeDoc } from "../openapi/route-doc.ts";
import { body, noQuery } from "../middleware/input.ts";
import { notApiCreated } from "../links/routes.ts";
import { idempotent, type JsonResponse, respondJson } from "../middleware/idempotency.ts";
import { wireQrCode } from "./wire.ts";

/** What is sent, its logo read: once, since that costs the most. */
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

export const qrRoutes = new Hono<ApiEnv>()
  .post(
    "/qr",
    access("qr:write", "qr"),
    routeDoc({
      id: "createQrCode",
      tag: "QR codes",
      summary: "Make a QR code",
      description: `Draws the link's short URL, with a token by which scans of this code are told from clicks and from scans of other codes. Later changes to the link change where the code leads, never the image. The contrast of the colours must be at least ${CONTRAST_MIN}:1.`,
      ok: { status: 201, description: "The new code.", schema: QrCode, headers: ["Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: [
        "link_not_found",
        "link_not_api_created",
        "domain_transferred",
        "contrast_too_low",
        "size_too_small",
        "quota_exceeded",
        "idempotency_conflict",
      ],
    }),
    body(ParsedCreateQrCode, { documentedAs: CreateQrCode, problems: furtherProblems }),
    (c) =>
      idempotent(c, async () => {
        const sent = c.req.valid("json");
        const { caller, hosts, idempotentRequest } = c.var;
        const link = await readLink(c.env, caller, sent.link_id);
        if (link.origin !== "api") throw notApiCreated("QR codes need a link made by the API");
        if (link.domain !== hosts.shortDomains[link.mode]) await requireDomainNotTransferred(c.env, caller, link);
        const [tooLow] = contrastProblems(sent);
        if (tooLow) throw contrastTooLow(tooLow);
        const code = newQrRecord(link, sent);
        const { drawQrCode } = await import("./qr-image.ts");
        const image = await drawQrCode(scanUrl(shortUrl(link.domain, link.slug, hosts), code.id), sent);
        const answer: JsonResponse<QrCode, 201> = {
          status: 201,
          headers: {},
          body: wireQrCode(code, 0, c.env.CDN_URL),
        };
        await createQrCode(c.env, caller, code, image, idempotentRequest, answer);
        return respondJson(c, answer);
      }),
  )
  .get(
    "/qr/:id",
    access("qr:read"),
    routeDoc({
      id: "getQrCode",
      tag: "QR codes",
      summary: "Retrieve a QR code",
      description: "The descriptor with the current count of scans, not the image. It outlives its link.",
      ok: { status: 200, description: "The code.", schema: QrCode },
      params: { id: QrId },
      errors: ["qr_not_found"],
    }),
    noQuery,
    async (c) => {
      const { code, scans } = await readQrCode(c.env, c.var.caller, c.req.param("id"));
      return c.json(wireQrCode(code, scans, c.env.CDN_URL), 200);
    },
  );

/** An SVG is a document: opened by itself, it may run, load and submit nothing. */
const SVG_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The images under this service's own host, with the headers that CDN_URL has in production. */
export const qrImageRoutes = new Hono<ApiEnv>().get("/cdn/:name", async (c) => {
  const image = await readImage(c.env, c.req.param("name"), c.req.raw.headers);
  if (!image) throw new ApiError("not_found");
  return image.body
    ? new Response(image.body, { headers: { ...imageHeaders(image), "Content-Length": String(image.size) } })
    : new Response(null, { status: 304, headers: imageHeaders(image) });
});

/** Those that the bucket's own domain would send. */
function imageHeaders({ httpEtag, httpMetadata }: StoredImage): Record<string, string> {
  const { contentType, cacheControl } = httpMetadata ?? {};
  return {
    ETag: httpEtag,
    "X-Content-Type-Options": "nosniff",
    ...(contentType ? { "Content-Type": contentType } : {}),
    ...(cacheControl ? { "Cache-Control": cacheControl } : {}),
    ...(contentType === "image/svg+xml" ? { "Content-Security-Policy": SVG_CSP } : {}),
  };
}

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
  };
}

/** A contrast that is too low has a code of its own, unless there are other problems to tell of. */
function furtherProblems(sent: unknown, _asked: unknown, _env: unknown, fits: boolean): Problem[] {
  if (typeof sent !== "object" || sent === null || fits) return [];
  const { fg, bg } = CreateQrCode.shape;
  const colors = {
    fg: fg.safeParse("fg" in sent ? sent.fg : undefined),
    bg: bg.safeParse("bg" in sent ? sent.bg : undefined),
  };
  return colors.fg.success && colors.bg.success ? contrastProblems({ fg: colors.fg.data, bg: colors.bg.data }) : [];
}

function contrastProblems({ fg, bg }: Pick<CreateQrCode, "fg" | "bg">): Problem[] {
  const ratio = contrastRatio(fg, bg);
  if (ratio >= CONTRAST_MIN) return [];
  const message = `fg and bg must have a contrast of at least ${CONTRAST_MIN}:1, got ${roundedDown(ratio)}:1`;
  return [{ path: "fg", code: "contrast_too_low", message }];
}

/** Never up to the minimum that was missed. */
function roundedDown(ratio: number): string {
  return (Math.floor(ratio * 1_000) / 1_000).toString();
}

function contrastTooLow(problem: Problem): ApiError {
  return new ApiError("contrast_too_low", problem.message, { param: problem.path, errors: [problem] });
}
