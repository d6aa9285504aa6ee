/** The QR code of a path `/qr/:id`, for handlers that may trust that it is the caller's. */
import type { MiddlewareHandler } from "hono";

import { QrId } from "../../core/contract/qr-codes.ts";
import { readQrCode } from "../../store/qr-codes.ts";
import type { ApiEnv } from "../context.ts";
import { pathParam } from "../middleware/input.ts";
import { documented } from "../openapi/route-doc.ts";

/** Runs before the query is checked: an unknown code answers 404 whatever else is wrong. */
export const loadQrCode: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    c.set("qrCode", await readQrCode(c.env, c.var.caller, pathParam(c, "id")));
    await next();
  },
  { params: { id: QrId }, errors: ["qr_not_found"] },
);
