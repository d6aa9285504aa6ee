/** The facts of a click that another service has counted, derived and bounded like those of a visit. Pure. */
import type { ImportedClick } from "../contract/click-imports.ts";
import { textMemo } from "../memory/caches.ts";
import { continentOf } from "../visitors/continents.ts";
import { isDeclaredBot } from "../visitors/declared-bots.ts";
import { COUNTRY_CODES } from "../visitors/fact-values.ts";
import { UNKNOWN_SPLIT } from "../visitors/split.ts";
import { simulatedVisitor } from "../visitors/simulated-visitor.ts";
import { detectClient } from "../visitors/user-agent.ts";
import { UTM_PARAMETERS } from "../visitors/utm.ts";
import { HEADER_MAX_CHARS } from "../visitors/visitor.ts";
import { clickOf, mapFacts, type NewClick } from "./facts.ts";

const MEMO_MAX_ENTRIES = 500;
const NO_HINTS = { mobile: null, platform: null, brands: null };

const clientOf = textMemo(MEMO_MAX_ENTRIES, (userAgent) => {
  return { ...detectClient(userAgent, NO_HINTS), isBot: isDeclaredBot(userAgent) };
});

export function importedClick(sent: ImportedClick): NewClick {
  const client = sent.user_agent ? clientOf(sent.user_agent.slice(0, HEADER_MAX_CHARS)) : null;
  const country = sent.country?.toUpperCase() ?? "";
  const region = sent.region?.toUpperCase() ?? "";
  const referrer = sent.referrer?.slice(0, HEADER_MAX_CHARS) ?? "";
  const isHost = !referrer.startsWith("app:") || /^app:[A-Za-z0-9._]{1,200}$/.test(referrer);
  const query = UTM_PARAMETERS.flatMap((name) => (sent[name] ? [[name, sent[name]]] : []));
  const visitor = simulatedVisitor(
    {
      ...(COUNTRY_CODES.has(country) && { country }),
      ...(region.startsWith(`${country}-`) && /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) && { region }),
      ...(sent.city && { city: sent.city }),
      ...(client && { device: client.device, os: client.os, browser: client.browser }),
      ...(sent.device && { device: sent.device }),
      ...(sent.os && { os: sent.os }),
      ...(sent.browser && { browser: sent.browser }),
      ...(sent.language && { language: sent.language }),
      ...(referrer && isHost && { referrer }),
      query: Object.fromEntries(query) as Record<string, string>,
    },
    Date.parse(sent.at),
  );
  const facts = { ...mapFacts((fact) => visitor[fact]), continent: continentOf(visitor.country) };
  const kind = sent.bot || client?.isBot ? "bot" : "human";
  return clickOf({ ...facts, at: visitor.at, class: kind, split: UNKNOWN_SPLIT }, -1, null);
}
