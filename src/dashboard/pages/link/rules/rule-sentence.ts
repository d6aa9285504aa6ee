/**
 * A rule's condition as a sentence: "Visitors from Germany on a phone". Conditions may be incomplete: an ellipsis
 * replaces missing values. Long lists and values are shortened. Pure except for the browser's language and time zone,
 * which format instants.
 */
import {
  type ConditionKey,
  CONDITIONS,
  type ConditionValues,
  type PlainCondition,
} from "../../../../core/links/conditions.ts";
import { once } from "../../../../core/memory/caches.ts";
import { DEFAULT_RULE_KEY, type RuleCondition } from "../../../../core/links/routing.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { ruleSentenceTexts as texts } from "../../../texts/rule-sentences.ts";
import { countryName, visitorNames } from "../visitor-names.ts";

const NAMES_MAX = 4;
const NAME_MAX_CHARS = 40;
const alternatives = once(() => new Intl.ListFormat("en-GB", { type: "disjunction" }));
const requirements = once(() => new Intl.ListFormat("en-GB", { type: "conjunction" }));

/** The share is not a phrase: it states the number of visitors at the beginning of the sentence. */
type PhraseKey = Exclude<ConditionKey, "percent">;

/** In the order of the sentence. */
const PHRASES: { [K in PhraseKey]: (wanted: ConditionValues[K], beside: PlainCondition) => string } = {
  city: (wanted) => texts.inPlace(anyOf(wanted)),
  region: (wanted) => texts.inPlace(anyOf(wanted, visitorNames.region)),
  country: (wanted) => texts.fromPlace(anyOf(wanted, countryInSentence)),
  continent: (wanted) => texts.fromPlace(anyOf(wanted, visitorNames.continent)),
  device: (wanted) => texts.onDevice(anyOf(wanted, (device) => texts.devices[device] ?? device)),
  os: (wanted) => texts.runningOs(anyOf(wanted, (os) => (os === "other" ? texts.otherOs : visitorNames.os(os)))),
  browser: (wanted) =>
    texts.usingBrowser(
      anyOf(wanted, (browser) => (browser === "other" ? texts.otherBrowser : visitorNames.browser(browser))),
    ),
  language: (wanted) => texts.preferring(anyOf(wanted, visitorNames.language)),
  referrer: (wanted) => texts.comingFrom(anyOf(wanted, (host) => shortened(visitorNames.referrer(host)))),
  source: (wanted) => texts.whoDo(anyOf(wanted, (source) => texts.sources[source] ?? source)),
  utm_source: (wanted) => texts.utm("source", anyOf(wanted, quoted)),
  utm_medium: (wanted) => texts.utm("medium", anyOf(wanted, quoted)),
  utm_campaign: (wanted) => texts.utm("campaign", anyOf(wanted, quoted)),
  utm_term: (wanted) => texts.utm("term", anyOf(wanted, quoted)),
  utm_content: (wanted) => texts.utm("content", anyOf(wanted, quoted)),
  query: (wanted) => texts.withParameters(parametersText(wanted)),
  time: (wanted) => timeText(wanted),
  after: (wanted) => texts.after(instantText(wanted)),
  before: (wanted, { after }) => (after === undefined ? texts.before : texts.andBefore)(instantText(wanted)),
};

const PHRASE_KEYS = Object.keys(PHRASES) as readonly PhraseKey[];

export function ruleSentence({ not, ...condition }: RuleCondition): string {
  const whom = describe(condition, {
    all: not ? texts.everyone : texts.visitors,
    some: texts.visitors,
    share: texts.shareOfVisitors,
  });
  return not
    ? texts.except(whom, describe(not, { all: texts.those, some: texts.those, share: texts.shareOfThose }))
    : whom;
}

interface Subjects {
  all: string;
  some: string;
  share: (percent: string) => string;
}

/** @param subjects  the beginning of the sentence: without a phrase, with some, with a share of visitors */
function describe(condition: PlainCondition, subjects: Subjects): string {
  const phrases = PHRASE_KEYS.flatMap((key) => phraseOf(key, condition));
  const { percent } = condition;
  const plain = phrases.length === 0 ? subjects.all : subjects.some;
  // An emptied share is null in the form.
  const subject = percent === undefined ? plain : subjects.share(String(percent ?? texts.missing));
  return [subject, ...phrases].join(" ");
}

function phraseOf<K extends PhraseKey>(key: K, condition: PlainCondition): string[] {
  const wanted: PlainCondition[K] = condition[key];
  return wanted === undefined ? [] : [PHRASES[key](wanted, condition)];
}

function anyOf<T extends string>(wanted: T | T[], nameOf: (one: T) => string = shortened): string {
  // In the order of the statistics' keys, so that a rule reads the same everywhere.
  const names = (Array.isArray(wanted) ? wanted.toSorted() : [wanted]).map((one) => nameOf(one));
  if (names.length === 0) return texts.missing;
  return alternatives().format(
    names.length <= NAMES_MAX ? names : [...names.slice(0, NAMES_MAX - 1), texts.more(names.length - (NAMES_MAX - 1))],
  );
}

function shortened(text: string): string {
  const chars = [...text];
  return chars.length <= NAME_MAX_CHARS ? text : `${chars.slice(0, NAME_MAX_CHARS).join("")}…`;
}

function countryInSentence(code: string): string {
  if (code === "XX") return texts.unknownCountry;
  return texts.countriesWithArticle.has(code) ? texts.withArticle(countryName(code)) : countryName(code);
}

function quoted(text: string): string {
  return texts.quoted(shortened(text));
}

function parametersText(wanted: ConditionValues["query"]): string {
  const names = Object.entries(wanted).map(([name, values]) =>
    values === true
      ? quoted(name || texts.missing)
      : texts.parameterIs(quoted(name || texts.missing), anyOf(values, quoted)),
  );
  return names.length === 0 ? texts.missing : requirements().format(names);
}

function timeText({ days = [], from, to, tz }: ConditionValues["time"]): string {
  const hours = from && to ? texts.between(from, to) : from ? texts.fromHour(from) : to ? texts.untilHour(to) : "";
  return [daysText(days), hours, texts.inZone(tz)].filter(Boolean).join(" ");
}

function daysText(days: readonly string[]): string {
  const chosen = Object.keys(texts.days).filter((day) => days.includes(day));
  const group = texts.dayGroups[chosen.join(" ")];
  if (group !== undefined || chosen.length === 0) return group ?? "";
  return texts.onDays(alternatives().format(chosen.map((day) => texts.days[day] ?? day)));
}

function instantText(instant: string): string {
  return Number.isNaN(Date.parse(instant)) ? texts.missing : formatDateTime(instant);
}

/** A statistics key as a sentence; the key itself if a later release wrote it. */
export function ruleKeyName(key: string): string {
  if (key === DEFAULT_RULE_KEY) return texts.everyoneElse;
  const condition = parseRuleKey(key);
  return condition ? ruleSentence(condition) : key;
}

/**
 * Parses the canonical text under which a rule's clicks are counted (core/links/routing.ts) back into its condition, so
 * that statistics also show rules that the link no longer has.
 * @returns null for a text that is not canonical, or has a condition unknown to this release
 * @internal
 */
export function parseRuleKey(text: string): RuleCondition | null {
  const parts = splitOutsideParentheses(text).map(parsePart);
  if (parts.some((part) => part === null)) return null;
  return Object.fromEntries(parts.filter((part) => part !== null)) as RuleCondition;
}

function splitOutsideParentheses(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "&" && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

function parsePart(part: string): [string, unknown] | null {
  const [, key = "", inner] = /^(\w+)\((.*)\)$/s.exec(part) ?? [];
  if (inner !== undefined) return parseGroup(key, inner);
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(part) ?? [];
  if (!isConditionKey(name)) return null;
  if (name === "percent") return [name, Number(value)];
  return [name, name === "after" || name === "before" ? value : parseList(value)];
}

function parseGroup(key: string, inner: string): [string, unknown] | null {
  if (key === "not") {
    const condition = parseRuleKey(inner);
    return condition && [key, condition];
  }
  if (key !== "query" && key !== "time") return null;
  const members = inner.split("&").map((member): [string, unknown] => {
    const [name = "", value] = member.split("=");
    if (key === "query") return [unescaped(name), value === undefined ? true : parseList(value)];
    return [name, name === "days" ? (value ?? "").split(",") : (value ?? "")];
  });
  return [key, Object.fromEntries(members)];
}

function parseList(text: string): string[] {
  return text.split(",").map(unescaped);
}

function unescaped(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function isConditionKey(key: string): key is ConditionKey {
  return Object.hasOwn(CONDITIONS, key);
}
