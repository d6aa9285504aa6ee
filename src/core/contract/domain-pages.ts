/** How the pages of a domain look that visitors see instead of a destination. Only the dashboard sets it. */
import * as z from "zod";

import { PAGES_WITH_TEXT, type PageWithText } from "../http/plain-page.ts";
import { readImageHeader } from "../images/social-image.ts";
import { PAGE_LOGO_MAX_BYTES, PAGE_NAME_MAX_CHARS, PAGE_TEXT_MAX_CHARS } from "../limits.ts";
import { trimmedText } from "./utm-templates.ts";

const Text = trimmedText(PAGE_TEXT_MAX_CHARS).optional();

const Texts = Object.fromEntries(PAGES_WITH_TEXT.map((page) => [page, Text])) as Record<PageWithText, typeof Text>;

/** Base 64 without line breaks; the bytes are those of the type, so that a browser shows what was checked. */
const LOGO = /^data:image\/(png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
const LOGO_MAX_CHARS = Math.ceil((PAGE_LOGO_MAX_BYTES * 4) / 3) + 40;

/** Members that are left out are removed. */
export const PageDesignIn = z.strictObject({
  name: trimmedText(PAGE_NAME_MAX_CHARS).optional(),
  logo: z
    .string()
    .refine(isLogo, `must be a PNG, JPEG or WebP image of at most ${PAGE_LOGO_MAX_BYTES / 1024} KiB, as a data URI`)
    .optional(),
  ...Texts,
});

function isLogo(text: string): boolean {
  if (text.length > LOGO_MAX_CHARS) return false;
  const [, type, base64 = ""] = LOGO.exec(text) ?? [];
  if (type === undefined || base64.length % 4 !== 0) return false;
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const format = readImageHeader(bytes)?.format;
  return bytes.length <= PAGE_LOGO_MAX_BYTES && (format === "jpg" ? "jpeg" : format) === type;
}
