/** The design of a QR code as its form holds it. Pure. */
import type { CreateQrCode } from "../../../../core/contract/qr-codes.ts";

export type QrDesign = Required<Omit<CreateQrCode, "logo" | "link_id">> & { logo: string | null };

export const DEFAULT_DESIGN: QrDesign = {
  format: "png",
  size: 512,
  fg: "#000000",
  bg: "#FFFFFF",
  margin: 4,
  ecc: "M",
  logo: null,
};

/** The design as it is drawn: a logo needs the most error correction. */
export function effectiveDesign(design: QrDesign): QrDesign {
  return design.logo === null ? design : { ...design, ecc: "H" };
}

/** What is sent to make the code. */
export function newQrCode(linkId: string, design: QrDesign): CreateQrCode {
  const { logo, ...rest } = effectiveDesign(design);
  return { link_id: linkId, ...rest, ...(logo === null ? {} : { logo }) };
}
