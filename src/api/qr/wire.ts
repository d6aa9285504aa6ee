/** QR codes on the wire. */
import type { CreateQrCode, QrCode, QrCodePage } from "../../core/contract/qr-codes.ts";
import { newQrId, QR_ID_RANDOM_WORDS } from "../../core/qr/token.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { imageName } from "../../core/qr/image-name.ts";
import type { QrCodeRecordPage, QrRecord } from "../../store/qr-codes.ts";

export function newQrRecord(link: LinkRecord, sent: Omit<CreateQrCode, "logo">): QrRecord {
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

export function wireQrCodePage({ codes, nextCursor }: QrCodeRecordPage, cdnUrl: string): QrCodePage {
  return {
    data: codes.map(({ code, scans }) => wireQrCode(code, scans, cdnUrl)),
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
}
