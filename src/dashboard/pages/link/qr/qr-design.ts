/** A QR code's design in its form, and the API's errors in the form's words. Pure. */
import type { CreateQrCode } from "../../../../core/contract/qr-codes.ts";
import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";

export type QrDesign = Required<Omit<CreateQrCode, "archived" | "link_id" | "logo" | "name">> & {
  logo: string | null;
  /** Empty for none. */
  name: string;
};

export const DEFAULT_DESIGN: QrDesign = {
  format: "png",
  size: 512,
  fg: "#000000",
  bg: "#FFFFFF",
  margin: 4,
  ecc: "M",
  logo: null,
  name: "",
};

/** The design as drawn: a logo needs the highest error correction. */
export function effectiveDesign(design: QrDesign): QrDesign {
  return design.logo === null ? design : { ...design, ecc: "H" };
}

/** The request that creates the code. */
export function newQrCode(linkId: string, design: QrDesign): CreateQrCode {
  const { logo, name, ...rest } = effectiveDesign(design);
  return { link_id: linkId, ...rest, ...(logo === null ? {} : { logo }), ...(name.trim() === "" ? {} : { name }) };
}

/** The API's errors by form input. */
export type QrFieldErrors = Partial<Record<"colors" | "size" | "logo", string>>;

export function qrFieldErrors(error: unknown): QrFieldErrors {
  if (!(error instanceof ApiError)) return {};
  const { fg, bg, size, logo } = error.fieldErrors();
  return {
    ...(fg || bg ? { colors: error.code === "contrast_too_low" ? texts.lowContrast : texts.colorHint } : {}),
    ...(size ? { size: sizeError(size) } : {}),
    ...(logo ? { logo: logoMessage(logo) } : {}),
  };
}

/** @returns null for an error that a field shows */
export function qrFormError(error: unknown): string | null {
  return error && Object.keys(qrFieldErrors(error)).length === 0 ? errorMessage(error) : null;
}

/** @param message  of the API, or of the same check in the browser */
export function logoMessage(message: string): string {
  return /data URI/i.test(message) ? texts.logoKind : message.replace(/^logo /i, `${texts.theFile} `);
}

function sizeError(message: string): string {
  const least = /at least (\d+) pixels/.exec(message)?.[1];
  return least === undefined ? message : texts.sizeTooSmall(Number(least));
}
