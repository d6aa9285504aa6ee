/** What a redirect knows of a link: plain data that is cached in isolates and kept in the link's Durable Object. */
import type { Mode } from "./credentials.ts";
import type { QrKey } from "./qr/token.ts";
import { canonicalText, DEFAULT_RULE, type Destinations } from "./routing.ts";

export type Origin = "api" | "dashboard";

export interface LinkSnapshot extends Destinations {
  id: string;
  accountId: string;
  mode: Mode;
  origin: Origin;
  domain: string;
  slug: string;
  /** Grows by one with every change. */
  revision: number;
  state: "active" | "disabled" | "deleted";
  /** Secret: what the tokens of the link's QR codes are made with. */
  qrKey: QrKey;
}

/** The words for where a click went, by index of the rule as stored with the click; "" when none matched. */
export interface Route {
  rule: string;
  destination: string;
}

export function routeOf(link: Destinations, rule: string): Route {
  const chosen = rule === "" ? undefined : link.routing[Number(rule)];
  return chosen
    ? { rule: canonicalText(chosen.if), destination: chosen.to }
    : { rule: DEFAULT_RULE, destination: link.url };
}

/** Name of a link's Durable Object. Domain and slug never change, so it is found without the database. */
export function objectName(domain: string, slug: string): string {
  return `${domain}/${slug.toLowerCase()}`;
}
