/** What the API refused of a QR code's design, in the words of its form. Pure. */
import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";

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

/** @returns null for an error that stands at its field */
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
