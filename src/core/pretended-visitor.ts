/** A visitor made up for a dry run. Facts left out are unknown, as they can be with real ones. Pure. */
import type { PretendVisitor } from "./contract.ts";
import { bestLanguage, queryOf, referrerOf, type Visitor } from "./visitor.ts";

export function pretendedVisitor(facts: PretendVisitor, now: number): Visitor {
  return {
    country: facts.country?.toUpperCase() || "XX",
    continent: facts.continent?.toUpperCase() ?? null,
    region: facts.region?.toUpperCase() ?? null,
    city: facts.city ?? null,
    device: facts.device ?? "other",
    os: facts.os ?? "other",
    browser: facts.browser ?? "other",
    language: facts.language === undefined ? null : bestLanguage(facts.language),
    referrer: facts.referrer === undefined ? null : referrerHost(facts.referrer),
    source: facts.source ?? "link",
    query: queryOf(searchOf(facts.query ?? {})),
    at: facts.at === undefined ? now : Date.parse(facts.at),
    point: null,
  };
}

function referrerHost(text: string): string | null {
  if (text.startsWith("app:")) return text;
  return referrerOf(text.includes("://") ? text : `http://${text}`);
}

function searchOf(query: Record<string, string | string[]>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  return new URLSearchParams(pairs).toString();
}
