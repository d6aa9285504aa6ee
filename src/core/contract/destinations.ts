/** Destination URLs of links, rules and landing pages. */
import { z } from "zod";

import { URL_MAX_CHARS } from "../limits.ts";
import { hasOverlongHost } from "../untrusted-url.ts";

export const Destination = z
  .string()
  .max(URL_MAX_CHARS, `must have at most ${URL_MAX_CHARS} characters`)
  .superRefine((text, context) => {
    const message = destinationFault(text);
    if (message) context.addIssue({ code: "custom", message });
  })
  .meta({
    description: `http or https, at most ${URL_MAX_CHARS} characters, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent.`,
    examples: ["https://example.com/spring?utm_source=poster"],
  });

/** @returns why the text cannot be a destination, or null */
function destinationFault(text: string): string | null {
  // URL parsers drop these silently, so the stored text would differ from the URL that is visited.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f]/.test(text)) return "must not contain spaces or control characters";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(text)) return "must begin with http:// or https://";
  if (hasOverlongHost(text)) return "must have a host that DNS allows, of at most 253 characters";
  const url = URL.parse(text);
  if (!url) return "must be an absolute URL such as https://example.com/";
  // URL parsers also accept one slash, three, or a backslash before the host; other readers of the same text do not.
  if (!/^https?:\/\/[^/\\]/i.test(text)) return "must have a host after http:// or https://";
  // In https://a.example\@b.example/ browsers see the host a.example, readers of RFC 3986 b.example: a filter could be
  // shown a harmless host.
  const authority = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  if (authority.includes("\\")) return "must not have a backslash in its host";
  if (authority.includes("@")) return "must not contain a user name or password";
  return null;
}
