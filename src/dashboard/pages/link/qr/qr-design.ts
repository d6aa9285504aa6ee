/** A QR code's design in its form, as remembered by the browser, and the API's errors in the form's words. Pure. */
import type { CreateQrCode } from "../../../../core/contract/qr-codes.ts";
import { QR_MARGIN_MAX_MODULES, QR_SIZE_MAX_PX, QR_SIZE_MIN_PX } from "../../../../core/limits.ts";
import { parseLogo } from "../../../../core/qr/logo.ts";
import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { CORNER_SHAPES, drawQr, HEX_COLOR_PATTERN, MODULE_SHAPES, type QrShapes } from "./qr-drawing.ts";

export interface QrDesign extends Required<Omit<CreateQrCode, "archived" | "link_id" | "logo" | "name">>, QrShapes {
  logo: string | null;
  /** Empty for none. */
  name: string;
}

export const DEFAULT_DESIGN: QrDesign = {
  format: "png",
  size: 512,
  fg: "#000000",
  bg: "#FFFFFF",
  margin: 4,
  ecc: "M",
  modules: "square",
  corners: "square",
  logo: null,
  name: "",
};

/** The design as drawn: a logo needs the highest error correction. */
export function effectiveDesign(design: QrDesign): QrDesign {
  return design.logo === null ? design : { ...design, ecc: "H" };
}

/** The request that creates the code. The permanent image has square modules, whatever the shapes. */
export function newQrCode(linkId: string, design: QrDesign): CreateQrCode {
  const { logo, name, modules: _modules, corners: _corners, ...rest } = effectiveDesign(design);
  return { link_id: linkId, ...rest, ...(logo === null ? {} : { logo }), ...(name.trim() === "" ? {} : { name }) };
}

/** Enough for the longest slug. */
const QUICK_SIZE_PX = 1_024;

/** A code that is created without its form, in which a size that is too small could be changed. */
export function quickQrCode(linkId: string, design: QrDesign): CreateQrCode {
  return newQrCode(linkId, { ...design, size: Math.max(design.size, QUICK_SIZE_PX) });
}

/** @param id  of a created code; null for a preview */
export function drawDesign(shortUrl: string, id: string | null, design: QrDesign) {
  return drawQr(shortUrl, id, { ...effectiveDesign(design), hasLogo: design.logo !== null });
}

type Brand = Omit<QrDesign, "name">;

const isWithin = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
const isOneOf = (values: readonly string[]) => (value: unknown) => values.some((one) => one === value);
const isColor = (value: unknown) => typeof value === "string" && HEX_COLOR_PATTERN.test(value);

const IS_VALID: Record<keyof Brand, (value: unknown) => boolean> = {
  format: isOneOf(["png", "svg"]),
  size: (value) => isWithin(value, QR_SIZE_MIN_PX, QR_SIZE_MAX_PX),
  fg: isColor,
  bg: isColor,
  margin: (value) => isWithin(value, 0, QR_MARGIN_MAX_MODULES),
  ecc: isOneOf(["L", "M", "Q", "H"]),
  modules: isOneOf(MODULE_SHAPES),
  corners: isOneOf(CORNER_SHAPES),
  logo: (value) => value === null || (typeof value === "string" && !("fault" in parseLogo(value))),
};

const BRAND_KEY = "hoplink-qr-design:";

/** The design that the account used last in this browser. Members that are missing or damaged have their defaults. */
export function readBrand(storage: Storage, accountId: string): QrDesign {
  try {
    const stored = JSON.parse(storage.getItem(BRAND_KEY + accountId) ?? "{}") as Record<string, unknown>;
    const valid = Object.entries(IS_VALID).filter(([member, isValid]) => isValid(stored[member]));
    return { ...DEFAULT_DESIGN, ...Object.fromEntries(valid.map(([member]) => [member, stored[member]])) };
  } catch {
    return DEFAULT_DESIGN;
  }
}

export function rememberBrand(storage: Storage, accountId: string, design: QrDesign): void {
  try {
    storage.setItem(BRAND_KEY + accountId, JSON.stringify({ ...design, name: undefined }));
  } catch {
    // Storage that is full or disabled remembers nothing.
  }
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
