/**
 * "Email Address Obfuscation", which is on in a new zone: addresses in a page are hidden until a script of the edge
 * decodes them. Cloudflare says that it leaves pages of Workers alone, but the stand-in does not rely on that.
 * https://developers.cloudflare.com/waf/tools/scrape-shield/email-address-obfuscation/
 */
import { Buffer } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";

const ADDRESS = /[\w.%+-]+@[\w-]+(?:\.[\w-]+)+/g;
/** Parts of a page that keep their addresses, and tags. */
const KEPT =
  /<!--email_off-->[^]*?<!--\/email_off-->|<(head|script|noscript|textarea|xmp)\b[^>]*>[^]*?<\/\1>|<[^>]*>/gi;
const MAIL_LINK = /^(<a\b[^>]*\bhref=["']?)mailto:([^"'\s>]+)/i;
const DECODER =
  '<script data-cfasync="false" src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script>';
const KEY = 0x42;

export function isObfuscated({ "content-type": type = "", "cache-control": caching = "" }: IncomingHttpHeaders) {
  return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type) && !/\bno-transform\b/i.test(caching);
}

export function obfuscateAddresses(page: string): string {
  let [result, at] = ["", 0];
  for (const { 0: kept, index } of page.matchAll(KEPT)) {
    result += obfuscateText(page.slice(at, index));
    result += kept.replace(MAIL_LINK, (_, start: string, address: string) => {
      return `${start}/cdn-cgi/l/email-protection#${encode(address)}`;
    });
    at = index + kept.length;
  }
  result += obfuscateText(page.slice(at));
  return result === page ? page : result + DECODER;
}

function obfuscateText(text: string): string {
  return text.replaceAll(ADDRESS, (address) => {
    return `<span class="__cf_email__" data-cfemail="${encode(address)}">[email&#160;protected]</span>`;
  });
}

function encode(address: string): string {
  return Buffer.from([KEY, ...Buffer.from(address).map((byte: number) => byte ^ KEY)]).toString("hex");
}
