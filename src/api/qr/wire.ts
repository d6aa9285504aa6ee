/** QR codes on the wire. */
import type { QrCode } from "../../core/contract/qr-codes.ts";
import { timestamp } from "../../core/timestamp.ts";
import { imageName, type QrRecord } from "../../store/qr-codes.ts";

export function wireQrCode(code: QrRecord, scans: number, cdnUrl: string): QrCode {
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
  };
}
