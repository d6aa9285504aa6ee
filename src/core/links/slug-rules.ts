/**
 * Which slugs can be chosen. Loaded only where links are created: a redirect looks its slug up (core/hosts.ts), and one
 * that breaks these rules has no link. Pure.
 */
import { isReservedSlug, slugPath } from "../hosts.ts";
import { SLUG_MAX_BYTES, SLUG_MAX_CHARS, SLUG_SEGMENTS_MAX } from "../limits.ts";
import { isAscii, isLonger } from "./case-folding.ts";

/** @returns why a slug cannot be chosen on any domain, in words that follow its name; null if it can */
export function slugProblem(slug: string): string | null {
  if (slug === "" || isLonger(slug, SLUG_MAX_CHARS)) return `must have 1 to ${SLUG_MAX_CHARS} characters`;
  if (isReservedSlug(slug)) return "is reserved";
  const segments = slug.split("/");
  if (segments.length > SLUG_SEGMENTS_MAX) return `must have at most ${SLUG_SEGMENTS_MAX} segments`;
  if (!segments.every(isSegment))
    return "must contain only letters, digits, emoji and - _ . ~, in segments that begin and end with a letter, digit or emoji";
  return slugPath(slug).length > SLUG_MAX_BYTES
    ? `must have at most ${SLUG_MAX_BYTES} bytes when percent-encoded`
    : null;
}

/** Programs that detect URLs in text cut off punctuation marks at the end. */
function isSegment(text: string): boolean {
  if (text === "" || /^[-._~]|[-._~]$/.test(text)) return false;
  if (isAscii(text)) return /^[\w.~-]+$/.test(text);
  // Replaces one character or emoji after the other. A repeated group would try both readings of each emoji whose parts
  // are emoji, in exponential time.
  return qualified(text).replace(CHARACTER, "") === "";
}

/** Invisible characters, such as joiners and tags, are allowed only inside emoji. */
const CHARACTER = /\p{RGI_Emoji}|[[\p{L}\p{M}\p{Nd}\-_.~]--\p{Default_Ignorable_Code_Point}]/gv;

/** With U+FE0F exactly after each character that is an emoji only with it, however the text was typed. */
function qualified(text: string): string {
  return text
    .replace(/(?<=[\p{Emoji}--[0-9#*]])[\uFE0E\uFE0F]|(?<=[0-9#*])[\uFE0E\uFE0F](?=\u20E3)/gv, "")
    .replace(/[\p{Emoji}--\p{Emoji_Presentation}--[0-9#*]](?!\p{Emoji_Modifier})|[0-9#*](?=\u20E3)/gv, "$&\uFE0F");
}

/**
 * The problem with a slug on the service's own domain, where accounts share addresses: its segments must not pass for
 * others. UTS 39, "highly restrictive", and no segment that looks Latin in another script.
 * @returns words that follow the slug's name; null if there is none
 */
export function lookalikeProblem(slug: string): string | null {
  for (const segment of slug.split("/")) {
    if (isAscii(segment)) continue;
    const letters = segment.replace(SHARED, "");
    if (!hasOneScript(letters)) return "must not mix scripts in a segment";
    if (LATIN_LOOKALIKES.test(letters.normalize("NFD").replace(/\P{L}/gu, "")))
      return "must not look like Latin letters in another script";
  }
  return null;
}

/** Characters that all scripts share, such as digits and emoji. */
const SHARED = /[\p{Script_Extensions=Zyyy}\p{Script_Extensions=Zinh}]/gu;

/** Compiling all patterns takes 30 ms, so they are not tried for a text with letters of a frequent script. */
function hasOneScript(letters: string): boolean {
  const isFrequent = /[\p{Script=Latn}\p{Script=Cyrl}\p{Script=Grek}\p{Script=Hani}]/u.test(letters);
  return (isFrequent ? SCRIPTS.slice(0, FREQUENT_SCRIPTS) : SCRIPTS).some((each) => patternOf(each).test(letters));
}

/**
 * The scripts of Unicode 15, by their codes, after those that are used together: Han is written with Latin in Chinese,
 * Japanese and Korean. Later scripts are refused.
 */
const SCRIPTS =
  "Latn+Hani+Hira+Kana Latn+Hani+Bopo Latn+Hani+Hang Cyrl Grek Arab Hebr Deva Thai Armn Geor Adlm Aghb Ahom Armi Avst Bali Bamu Bass Batk Beng Bhks Brah Brai Bugi Buhd Cakm Cans Cari Cham Cher Chrs Copt Cpmn Cprt Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Glag Gong Gonm Goth Gran Gujr Guru Hano Hatr Hluw Hmng Hmnp Hung Ital Java Kali Kawi Khar Khmr Khoj Kits Knda Kthi Lana Laoo Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi Mong Mroo Mtei Mult Mymr Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sind Sinh Sogd Sogo Sora Soyo Sund Sylo Syrc Tagb Takr Tale Talu Taml Tang Tavt Telu Tfng Tglg Thaa Tibt Tirh Tnsa Toto Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb".split(
    " ",
  );

const FREQUENT_SCRIPTS = 5;

const patterns = new Map<string, RegExp>();

function patternOf(scripts: string): RegExp {
  const classes = scripts.split("+").map((script) => `\\p{Script_Extensions=${script}}`);
  const pattern = patterns.get(scripts) ?? new RegExp(`^[${classes.join("")}]*$`, "u");
  patterns.set(scripts, pattern);
  return pattern;
}

/**
 * Cyrillic, Greek and Armenian letters that look like Latin ones: those that Unicode's confusables.txt (UTS 39) maps to
 * one ASCII letter, and those of Chromium's list of whole-script confusables. No marks: a text is decomposed first.
 */
const LATIN_LOOKALIKES =
  /^[ЅІЈАВЕКМНОРСТУХЬѴҮӀԌԚԜаыгеһіюкјӏоорԗѕсухѡѵүҽԁԍԛԝьпꙇͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγηικνορστυωχϲϳϱϒՍՏՕագզէլհյոռսւցքօՙ]+$/u;
