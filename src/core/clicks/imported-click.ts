/** The facts of a click that another service has counted, derived and bounded like those of a visit. Pure. */
import type { ImportedClick } from "../contract/click-imports.ts";
import { textMemo } from "../memory/caches.ts";
import { isDeclaredBot } from "../visitors/declared-bots.ts";
import { type CONTINENT_CODES, COUNTRY_CODES } from "../visitors/fact-values.ts";
import { simulatedVisitor } from "../visitors/simulated-visitor.ts";
import { UNKNOWN_SPLIT } from "../visitors/split.ts";
import { detectClient } from "../visitors/user-agent.ts";
import { UTM_PARAMETERS } from "../visitors/utm.ts";
import { HEADER_MAX_CHARS } from "../visitors/visitor.ts";
import { clickOf, mapFacts, type NewClick } from "./facts.ts";

/** Continents are for clicks of other services: of a visit, the edge reports both. */
type Continent = (typeof CONTINENT_CODES)[number];

const COUNTRIES: Readonly<Record<Continent, string>> = {
  AF: "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
  AN: "AQ BV GS HM TF",
  AS: "AE AF AM AZ BD BH BN BT CC CN GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TM TR TW UZ VN YE",
  EU: "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
  NA: "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT US VC VG VI",
  OC: "AS AU CK CX FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS",
  SA: "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
};

const CONTINENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(COUNTRIES).flatMap(([continent, countries]) =>
    countries.split(" ").map((country): [string, string] => [country, continent]),
  ),
);

const MEMO_MAX_ENTRIES = 500;
const NO_HINTS = { mobile: null, platform: null, brands: null };

const clientOf = textMemo(MEMO_MAX_ENTRIES, (userAgent) => {
  return { ...detectClient(userAgent, NO_HINTS), isBot: isDeclaredBot(userAgent) };
});

export function importedClick(sent: ImportedClick): NewClick {
  const client = sent.user_agent ? clientOf(sent.user_agent.slice(0, HEADER_MAX_CHARS)) : null;
  const code = sent.country?.toUpperCase() ?? "";
  const country = COUNTRY_CODES.has(code) ? code : null;
  const region = sent.region?.toUpperCase() ?? "";
  const referrer = sent.referrer?.slice(0, HEADER_MAX_CHARS) ?? "";
  const isHost = !referrer.startsWith("app:") || /^app:[A-Za-z0-9._]{1,200}$/.test(referrer);
  const query = UTM_PARAMETERS.flatMap((name) => (sent[name] ? [[name, sent[name]]] : []));
  const visitor = simulatedVisitor(
    {
      ...(country && { country }),
      ...(country && region.startsWith(`${country}-`) && /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) && { region }),
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
  const facts = { ...mapFacts((fact) => visitor[fact]), continent: CONTINENTS.get(visitor.country) ?? null };
  const kind = (sent.bot ?? client?.isBot) ? "bot" : "human";
  return clickOf({ ...facts, at: visitor.at, class: kind, split: UNKNOWN_SPLIT }, -1, null);
}
