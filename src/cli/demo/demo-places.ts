/**
 * Where the demo's visitors come from: real cities with the codes that Cloudflare's edge would report. `weight` is the
 * place's share of the traffic, `utcOffsetHours` shifts its day.
 */
export type DemoPlace = ReturnType<typeof place>;

export const DEMO_PLACES: readonly DemoPlace[] = [
  place("DE", "EU", "DE-BE", "Berlin", "de-DE", 1, 16),
  place("DE", "EU", "DE-BY", "Munich", "de-DE", 1, 9),
  place("DE", "EU", "DE-HH", "Hamburg", "de-DE", 1, 6),
  place("US", "NA", "US-CA", "San Francisco", "en-US", -8, 11),
  place("US", "NA", "US-NY", "New York", "en-US", -5, 10),
  place("US", "NA", "US-TX", "Austin", "en-US", -6, 5),
  place("US", "NA", "US-WA", "Seattle", "en-US", -8, 3),
  place("GB", "EU", "GB-ENG", "London", "en-GB", 0, 10),
  place("GB", "EU", "GB-SCT", "Edinburgh", "en-GB", 0, 2),
  place("FR", "EU", "FR-IDF", "Paris", "fr-FR", 1, 7),
  place("FR", "EU", "FR-ARA", "Lyon", "fr-FR", 1, 2),
  place("CH", "EU", "CH-ZH", "Zurich", "de-CH", 1, 5),
  place("AT", "EU", "AT-9", "Vienna", "de-AT", 1, 4),
  place("NL", "EU", "NL-NH", "Amsterdam", "nl-NL", 1, 4),
  place("ES", "EU", "ES-MD", "Madrid", "es-ES", 1, 3),
  place("IT", "EU", "IT-25", "Milan", "it-IT", 1, 3),
  place("PL", "EU", "PL-14", "Warsaw", "pl-PL", 1, 2),
  place("SE", "EU", "SE-AB", "Stockholm", "sv-SE", 1, 2),
  place("CA", "NA", "CA-ON", "Toronto", "en-CA", -5, 3),
  place("BR", "SA", "BR-SP", "São Paulo", "pt-BR", -3, 4),
  place("MX", "NA", "MX-CMX", "Mexico City", "es-MX", -6, 2),
  place("IN", "AS", "IN-KA", "Bengaluru", "en-IN", 5.5, 5),
  place("IN", "AS", "IN-MH", "Mumbai", "en-IN", 5.5, 3),
  place("JP", "AS", "JP-13", "Tokyo", "ja-JP", 9, 5),
  place("SG", "AS", "SG-01", "Singapore", "en-SG", 8, 2),
  place("AU", "OC", "AU-NSW", "Sydney", "en-AU", 11, 3),
  place("ZA", "AF", "ZA-WC", "Cape Town", "en-ZA", 2, 1),
  place("NG", "AF", "NG-LA", "Lagos", "en-NG", 1, 1),
];

function place(
  country: string,
  continent: string,
  region: string,
  city: string,
  language: string,
  utcOffsetHours: number,
  weight: number,
) {
  return { country, continent, region, city, language, utcOffsetHours, weight };
}
