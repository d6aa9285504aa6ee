/** Random rules and visitors, with few values each, so that rules often match and often overlap. */
import type { ConditionKey, PlainCondition } from "../../src/core/links/conditions.ts";
import type { RoutingRule } from "../../src/core/links/routing.ts";
import { Condition } from "../../src/core/contract/link-members.ts";
import { unreachableRuleProblems } from "../../src/core/links/link-validation.ts";
import { randomElement, randomInteger } from "./seeded-random.ts";

type Chance = () => number;

const COUNTRIES = ["DE", "AT", "US", "XX"];
const CITIES = ["Berlin", "BERLIN", "Zürich", "Zu\u0308rich", "Wien, Innere Stadt"];
const LANGUAGES = ["de", "de-CH", "de-CH-1996", "fr", "den"];
const REFERRERS = ["example.com", "m.example.com", "notexample.com", "app:com.example", "com"];
const DEVICES = ["mobile", "tablet", "desktop", "other"];
const OSES = ["ios", "android", "macos"];
const BROWSERS = ["safari", "chrome", "other"];
const REGIONS = ["DE-BE", "AT-9", "US-TX"];
const CONTINENTS = ["EU", "NA"];
const UTM = ["poster", "News Letter", "ad"];
const QUERIES: Record<string, true | string | string[]>[] = [
  { a: true },
  { a: "1" },
  { b: ["1", "2"] },
  { a: "1", b: true },
];

/** @param times  in which `after` and `before` are, epoch ms */
function randomCondition(chance: Chance, key: ConditionKey, times: readonly number[]): unknown {
  const some = (values: readonly string[]) =>
    chance() < 0.5 ? randomElement(chance, values) : values.filter(() => chance() < 0.4).concat(values[0] ?? "");
  const instant = () => new Date(randomElement(chance, times)).toISOString();
  switch (key) {
    case "after":
    case "before":
      return instant();
    case "browser":
      return some(BROWSERS);
    case "city":
      return some(CITIES);
    case "continent":
      return some(CONTINENTS);
    case "country":
      return some(COUNTRIES);
    case "device":
      return some(DEVICES);
    case "language":
      return some(LANGUAGES);
    case "os":
      return some(OSES);
    case "percent":
      return randomElement(chance, [10, 33.3, 50, 90]);
    case "query":
      return randomElement(chance, QUERIES);
    case "referrer":
      return some(REFERRERS.filter((host) => host !== "com"));
    case "region":
      return some(REGIONS);
    case "source":
      return randomElement(chance, ["qr", "link"]);
    case "time":
      return randomElement(chance, [
        { tz: "Europe/Berlin", days: ["sat", "sun", "mon"] },
        { tz: "Asia/Kathmandu", days: ["sun"] },
        { tz: "Asia/Kathmandu", from: "09:05", to: "17:40" },
        { tz: "America/St_Johns", days: ["fri", "tue"], from: "20:00", to: "06:30" },
      ]);
    case "utm_campaign":
    case "utm_content":
    case "utm_medium":
    case "utm_source":
    case "utm_term":
      return some(UTM);
  }
}

const KEYS: readonly ConditionKey[] = [
  "after",
  "before",
  "browser",
  "city",
  "continent",
  "country",
  "device",
  "language",
  "os",
  "percent",
  "query",
  "referrer",
  "region",
  "source",
  "time",
  "utm_source",
  "utm_campaign",
];

function randomPlain(chance: Chance, times: readonly number[]): PlainCondition {
  const keys = new Set(Array.from({ length: 1 + randomInteger(chance, 2) }, () => randomElement(chance, KEYS)));
  return Object.fromEntries([...keys].map((key) => [key, randomCondition(chance, key, times)])) as PlainCondition;
}

/** Rules as they are stored, all of which can be reached. */
export function randomRouting(chance: Chance, most: number, times: readonly number[]): RoutingRule[] {
  const rules = Array.from({ length: randomInteger(chance, most + 1) }, (_, index): RoutingRule => {
    const plain = randomPlain(chance, times);
    const not = chance() < 0.4 ? { not: randomPlain(chance, times) } : {};
    const condition = chance() < 0.15 && "not" in not ? not : { ...plain, ...not };
    return { if: Condition.parse(condition), to: `https://example.com/${index % 5}` };
  });
  const problems = unreachableRuleProblems(rules.map((rule, index) => ({ index, if: rule.if })));
  const unreachable = new Set(problems.map(({ path }) => path));
  return rules.filter((_, index) => !unreachable.has(`routing.${index}`));
}

/** A visit as it is sent: a header, a fact of the edge or a part of the query is sometimes omitted. */
export interface RandomVisit {
  country?: string;
  continent?: string;
  regionCode?: string;
  city?: string;
  userAgent: string;
  language?: string;
  referer?: string;
  search: string;
  address: string | null;
}

const USER_AGENTS = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
  "curl/8.5.0",
  "Googlebot/2.1 (+http://www.google.com/bot.html)",
];

export function randomVisit(chance: Chance): RandomVisit {
  const maybe = <T>(values: readonly T[]) => (chance() < 0.75 ? randomElement(chance, values) : undefined);
  const facts = {
    country: maybe(COUNTRIES),
    continent: maybe(CONTINENTS),
    regionCode: maybe(["BE", "9", "TX"]),
    city: maybe(CITIES),
    language: maybe([...LANGUAGES, "fr;q=0.5, de-CH"]),
    referer: maybe(
      REFERRERS.map((host) => (host.startsWith("app:") ? "android-app://com.example/" : `https://${host}/`)),
    ),
  };
  const query = [
    maybe(["a", "a=1", "a=2&a=1", ""]),
    maybe(["b=1", "b=", ""]),
    maybe(UTM.map((value) => `utm_source=${encodeURIComponent(value.toUpperCase())}`)),
    maybe(UTM.map((value) => `utm_campaign=${encodeURIComponent(value)}`)),
  ];
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
    userAgent: randomElement(chance, USER_AGENTS),
    search: query.filter((part) => part).join("&"),
    address: chance() < 0.9 ? `192.0.2.${randomInteger(chance, 100)}` : null,
  };
}
