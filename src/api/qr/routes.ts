/** QR codes: make one, list them, retrieve one. */
import { z } from "zod";

import { CreateQrCode, ListQrCodesQuery, type QrCode } from "../../core/contract/qr-codes.ts";
import { cdnUrl } from "../../core/host-settings.ts";
import { shortUrl } from "../../core/hosts.ts";
import { parseLogo } from "../../core/qr/logo.ts";
import { scanUrl } from "../../core/qr/token.ts";
import { readLinkOrTombstone } from "../../store/links/deleted-links.ts";
import { requireDomainNotTransferred } from "../../store/links/inherited-links.ts";
import { readLink } from "../../store/links/links.ts";
import { createQrCode, listQrCodes } from "../../store/qr-codes.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson, respondPage } from "../json-response.ts";
import { requireApiCreated } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, noQuery, query } from "../middleware/input.ts";
import { contrastProblemsBesideOthers, requireContrast } from "./contrast-problems.ts";
import { createQrCodeDoc, getQrCodeDoc, listQrCodesDoc } from "./docs.ts";
import { loadQrCode } from "./load-qr-code.ts";
import { newQrRecord, wireQrCode, wireQrCodePage } from "./wire.ts";

const QR_NEED = "QR codes need a link made by the API";

/** The body with its logo parsed: once, because that is its most expensive part. */
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
  access("qr:write", "qr"),
  createQrCodeDoc,
  body(ParsedCreateQrCode, {
    documentedAs: CreateQrCode,
    problems: (sent, _context, _env, fits) => contrastProblemsBesideOthers(sent, fits),
  }),
  (c) =>
    idempotent(c, async () => {
      const design = c.req.valid("json");
      const { caller, hosts, idempotentRequest } = c.var;
      const link = await readLink(c.env, caller, design.link_id);
      requireApiCreated(caller, link, QR_NEED);
      if (link.domain !== hosts.shortDomains[link.mode]) await requireDomainNotTransferred(c.env, caller, link);
      requireContrast(design);
      const code = newQrRecord(link, design);
      const { drawQrCode } = await import("./qr-image.ts");
      const image = await drawQrCode(scanUrl(shortUrl(link.domain, link.slug, hosts), code.id), design);
      const made = wireQrCode(code, 0, cdnUrl(c.env, hosts));
      const response: JsonResponse<QrCode, 201> = { status: 201, body: made, location: `/qr/${code.id}` };
      await createQrCode(c.env, caller, code, image, idempotentRequest, response);
      return respondJson(c, response);
    }),
);

export const listQrCodesRoute = createHandlers(
  access("qr:read"),
  listQrCodesDoc,
  query(ListQrCodesQuery),
  async (c) => {
    const { caller } = c.var;
    const asked = c.req.valid("query");
    if (asked.link_id !== undefined) {
      const { link } = await readLinkOrTombstone(c.env, caller, asked.link_id);
      requireApiCreated(caller, link, QR_NEED);
    }
    return respondPage(c, wireQrCodePage(await listQrCodes(c.env, caller, asked), cdnUrl(c.env, c.var.hosts)));
  },
);

export const getQrCodeRoute = createHandlers(access("qr:read"), getQrCodeDoc, loadQrCode, noQuery, (c) => {
  const { code, scans } = c.var.qrCode;
  return respondJson(c, { status: 200, body: wireQrCode(code, scans, cdnUrl(c.env, c.var.hosts)) });
});
