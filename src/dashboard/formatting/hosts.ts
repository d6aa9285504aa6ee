/**
 * Readable host names: `xn--mnchen-3ya.example` is shown as `münchen.example`. A name that could pass for another stays
 * encoded: if a label mixes scripts, looks Latin in another script, or has letters that are easily confused. Pure. This
 * affects only the display: links, copies and requests use the URL itself.
 */
// oxlint-disable-next-line typescript/triple-slash-reference -- the tests compile this file without that folder
/// <reference path="./punycode.d.ts" />
import punycode from "punycode/punycode.js";

/** Excludes letters that pass for others: dotless i, long s, kra, thorn. */
const LATIN =
  /^[a-z0-9\-ß-öø-ýÿ\u0101-\u0130\u0132-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u017e\u01a1\u01b0\u0219\u021b\u1ea0-\u1ef9]+$/u;
/** Scripts that one language uses together. */
const OTHER_SCRIPTS = [
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー0-9-]+$/u,
  /^[\p{Script=Hangul}0-9-]+$/u,
  ...["Arabic", "Cyrillic", "Devanagari", "Greek", "Hebrew", "Thai"].map(
    (script) => new RegExp(String.raw`^[\p{Script=${script}}0-9-]+$`, "u"),
  ),
];
/** A label of only these characters reads as Latin. */
const LATIN_LOOKALIKES = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡӽүαικνορτυχωγηاهةوדוחיןסטทนบพรห0-9-]+$/u;

export function readableHost(host: string): string {
  if (!host.includes("xn--")) return host;
  return host
    .split(".")
    .map((label) => (label.startsWith("xn--") ? readableLabel(label) : label))
    .join(".");
}

/** A URL with a readable host. */
export function readableUrl(url: string): string {
  return url.replace(
    /^(https?:\/\/(?:[^/?#]*@)?)([^/?#@:]+)/i,
    (_, before: string, host: string) => before + readableHost(encodedHost(host) ?? host),
  );
}

/** A short URL with a readable host, and the slug as typed. */
export function readableShortUrl({ short_url }: { short_url: string }): string {
  return decodeURIComponent(readableUrl(short_url));
}

/** The name of a link: its short URL without the scheme. */
export function linkName(link: { short_url: string }): string {
  return readableShortUrl(link).replace(/^https?:\/\//, "");
}

/** The part before the slug: the host, plus the path of test links that share a host. */
export function linkPrefix(link: { short_url: string; slug: string }): string {
  return linkName(link).slice(0, -link.slug.length);
}

function readableLabel(label: string): string {
  const text = decodedLabel(label);
  const isOther = OTHER_SCRIPTS.some((script) => script.test(text)) && !LATIN_LOOKALIKES.test(text);
  return (LATIN.test(text) || isOther) && encodedHost(text) === label ? text : label;
}

function decodedLabel(label: string): string {
  try {
    return punycode.toUnicode(label);
  } catch {
    return "";
  }
}

/** Encodes a host as the browser does. A label that this does not turn back into its original form stays encoded. */
function encodedHost(text: string): string | undefined {
  return URL.parse(`https://${text}`)?.hostname;
}
