/** QR codes in the API reference. */
import { QrCode, QrCodePage } from "../../core/contract/qr-codes.ts";
import { CONTRAST_MIN } from "../../core/qr/contrast.ts";
import { routeDoc } from "../openapi/route-doc.ts";

export const createQrCodeDoc = routeDoc({
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
});

export const listQrCodesDoc = routeDoc({
  id: "listQrCodes",
  tag: "QR codes",
  summary: "List QR codes",
  description:
    "The newest first, with the current counts of scans. Codes of deleted links stay in the list; codes of links made in the dashboard are not in it.",
  ok: { status: 200, description: "A page of codes.", schema: QrCodePage, headers: ["Link"] },
  errors: ["link_not_found", "link_not_api_created"],
});

export const getQrCodeDoc = routeDoc({
  id: "getQrCode",
  tag: "QR codes",
  summary: "Retrieve a QR code",
  description: "The descriptor with the current count of scans, not the image. It outlives its link.",
  ok: { status: 200, description: "The code.", schema: QrCode },
});
