/** A pretend visitor as the form holds it: empty where nothing is known. Pure. */
import type { SimulatedVisitor } from "../../../../core/contract/contract.ts";

export interface SimulatedVisitorForm {
  country: string;
  continent: string;
  region: string;
  city: string;
  device: string;
  os: string;
  browser: string;
  language: string;
  referrer: string;
  /** As behind the `?` of a URL. */
  query: string;
  source: string;
  /** RFC 3339 once it is sent. */
  at: string;
}

export const UNKNOWN_VISITOR: SimulatedVisitorForm = {
  country: "",
  continent: "",
  region: "",
  city: "",
  device: "",
  os: "",
  browser: "",
  language: "",
  referrer: "",
  query: "",
  source: "link",
  at: "",
};

/** What is sent: facts that are known. The API judges them. */
export function toSimulatedVisitor({ query, ...texts }: SimulatedVisitorForm): SimulatedVisitor {
  const known = Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]));
  const names = parseQuery(query);
  return { ...Object.fromEntries(known), ...(Object.keys(names).length > 0 ? { query: names } : {}) };
}

function parseQuery(text: string): Record<string, string | string[]> {
  const sent = new URLSearchParams(text.trim().replace(/^\?/, ""));
  return Object.fromEntries(
    [...new Set(sent.keys())].map((name) => {
      const values = sent.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? "") : values];
    }),
  );
}
