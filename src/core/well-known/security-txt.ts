/** Whom to tell of a weakness: the text of `/.well-known/security.txt` (RFC 9116). Pure. */
import type { AbuseContact } from "../abuse-contact.ts";
import { DAY_MS } from "../durations.ts";

/** RFC 9116 recommends less than a year: a text that somebody kept is not to be trusted for longer. */
const VALID_DAYS = 180;

/** @param now  epoch ms @returns null without a contact that the RFC allows: an e-mail address or an https URL */
export function securityText(contact: AbuseContact | "invalid" | null, baseUrl: string, now: number): string | null {
  if (contact === null || contact === "invalid" || contact.href.startsWith("http:")) return null;
  return [
    `Contact: ${contact.href}`,
    `Expires: ${expiry(now)}`,
    "Preferred-Languages: en",
    // The RFC takes https alone.
    ...(baseUrl.startsWith("https:") ? [`Canonical: ${baseUrl}/.well-known/security.txt`] : []),
    "",
  ].join("\n");
}

/** Midnight, so that the text is the same all day. */
function expiry(now: number): string {
  const day = now - (now % DAY_MS) + VALID_DAYS * DAY_MS;
  return new Date(day).toISOString().replace(".000Z", "Z");
}
