/** Who hears of abuse: an e-mail address or a page, as the operator has set it in `ABUSE_CONTACT`. */
import { boundedMemo } from "./generation-cache.ts";

export interface AbuseContact {
  /** As the operator wrote it. */
  text: string;
  href: string;
}

const EMAIL_MAX_CHARS = 254;
const URL_MAX_CHARS = 2_048;

/** Read for every page that says so, and the same each time. */
const parsedContact = boundedMemo(1, parseContact);

/** Null where none is set, and "invalid" for what is neither an e-mail address nor an http(s) URL. */
export function abuseContact({ ABUSE_CONTACT = "" }: { ABUSE_CONTACT?: string }): AbuseContact | "invalid" | null {
  return parsedContact(ABUSE_CONTACT.trim());
}

function parseContact(text: string): AbuseContact | "invalid" | null {
  if (text === "") return null;
  const email = /^([^\s@:/<>()",;\\[\]]+)@([A-Za-z0-9.-]+)$/.exec(text);
  if (email && text.length <= EMAIL_MAX_CHARS) {
    return { text, href: `mailto:${encodeURIComponent(email[1] ?? "")}@${email[2]}` };
  }
  const url = text.length <= URL_MAX_CHARS ? URL.parse(text) : null;
  const isPage =
    (url?.protocol === "https:" || url?.protocol === "http:") && url.username === "" && url.password === "";
  return url && isPage ? { text, href: url.href } : "invalid";
}
