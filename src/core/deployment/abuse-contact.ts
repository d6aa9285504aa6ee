/** The operator's contact for reports of abuse, from `ABUSE_CONTACT`: an e-mail address or a URL. Pure. */
import { boundedMemo } from "../memory/generation-cache.ts";

export interface AbuseContact {
  /** The setting's text, as it is shown. */
  text: string;
  href: string;
}

const EMAIL_MAX_CHARS = 254;
const URL_MAX_CHARS = 2_048;

/** Cached, because every error page shows it and the setting never changes within a deployment. */
const parsedContact = boundedMemo(1, parseContact);

/** @returns null when the setting is empty, "invalid" when it is neither an e-mail address nor an http(s) URL */
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
