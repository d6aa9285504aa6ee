/** Clicks that a link's rules decided, as a log contains them after redirects; and rules of every kind. */
import { simulatedVisitor } from "../../src/core/visitors/simulated-visitor.ts";
import { splitPercent, UNKNOWN_SPLIT } from "../../src/core/visitors/split.ts";
import type { Visitor } from "../../src/core/visitors/visitor.ts";
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import {
  metQueryConditions,
  chooseDestination,
  type RuleCondition,
  type RoutingRule,
} from "../../src/core/links/routing.ts";
import type { Click } from "../support/pack-clicks.ts";
import { snapshotAt } from "./bench-link.ts";

/** A condition of one of eight kinds, different for each number. */
function conditionOf(n: number): RuleCondition {
  const country = String.fromCharCode(65 + (n % 26), 65 + (n % 3));
  switch (n % 8) {
    case 0:
      return { country: [country, `${country}X`], device: "mobile" };
    case 1:
      return { language: [`l${n % 40}`, `l${(n + 7) % 40}`], not: { device: "desktop" } };
    case 2:
      return { percent: 1 + (n % 50), country };
    case 3:
      return { time: { tz: "Europe/Zurich", days: ["sat", "sun"], from: `${10 + (n % 10)}:30` }, country };
    case 4:
      return { query: { [`q${n % 16}`]: true } };
    case 5:
      return { referrer: [`berlinber.com`, `linber${n}.com`], os: ["ios", "macos"], not: { country } };
    case 6:
      return { city: [`Berberber`, `Linmar${n}`], browser: "chrome" };
    default:
      return { continent: "EU", region: `${country}-${n % 400}`, source: n % 16 === 7 ? "qr" : "link" };
  }
}

export function manyRules(count: number, first: number): RoutingRule[] {
  return Array.from({ length: count }, (_, n) => {
    return { if: conditionOf(first + n), to: `https://example.com/${(first + n) % 9}` };
  });
}

/** The link with forty rules, which differ after each change. */
export function ruledSnapshotAt(revision: number): LinkSnapshot {
  return { ...snapshotAt(revision), routing: manyRules(40, revision) };
}

/** The click of the same visit to a link, with what its rules decided. */
export function decidedClick(click: Click, link: LinkSnapshot, query: string): Click {
  const visitor = visitorOf(click, query);
  const chosen = chooseDestination(link, visitor);
  const rule = chosen.kind === "redirect" && chosen.rule >= 0 ? String(chosen.rule) : "";
  return { ...click, rule, query: metQueryConditions(link, visitor) };
}

function visitorOf({ at, split = UNKNOWN_SPLIT, qr, ...click }: Click, query: string): Visitor {
  const { country = "XX", continent, region, city, language, referrer } = click;
  return {
    ...simulatedVisitor({ query: { [query]: "" } }, at),
    country,
    continent: continent || null,
    region: region || null,
    city: city || null,
    device: click.device as Visitor["device"],
    os: click.os as Visitor["os"],
    browser: click.browser as Visitor["browser"],
    language: language || null,
    referrer: referrer || null,
    source: qr ? "qr" : "link",
    splitPoint: splitPercent(split),
  };
}
