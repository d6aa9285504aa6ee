/** The simulated visitor of a dry run. Omitted facts are unknown, as they can be for real visitors. Pure. */
import type { SimulatedVisitor } from "../contract/resolutions.ts";
import { preferredLanguage, parseQuery, parseReferrer, type Visitor } from "./visitor.ts";
import { utmFacts } from "./utm.ts";

export function simulatedVisitor(facts: SimulatedVisitor, now: number): Visitor {
  const query = parseQuery(simulatedSearch(facts));
  return {
    country: facts.country?.toUpperCase() || "XX",
    continent: facts.continent?.toUpperCase() ?? null,
    region: facts.region?.toUpperCase() ?? null,
    city: facts.city ?? null,
    device: facts.device ?? "other",
    os: facts.os ?? "other",
    browser: facts.browser ?? "other",
    language: facts.language === undefined ? null : preferredLanguage(facts.language),
    referrer: facts.referrer === undefined ? null : simulatedReferrer(facts.referrer),
    source: facts.source ?? "link",
    query,
    ...utmFacts((name) => query.get(name)?.values().next().value),
    at: facts.at === undefined ? now : Date.parse(facts.at),
    splitPoint: facts.point ?? null,
  };
}

function simulatedReferrer(text: string): string | null {
  if (text.startsWith("app:")) return text;
  return parseReferrer(text.includes("://") ? text : `http://${text}`);
}

/** The query string of the visit, without a question mark. */
export function simulatedSearch({ query = {} }: SimulatedVisitor): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return new URLSearchParams(pairs).toString();
}
