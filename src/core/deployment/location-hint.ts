/**
 * Where an object should be made: the location hint of Durable Objects for the place of a request, as Cloudflare's edge
 * reports it. A hint counts for the first call of an object only, which then stays where it is. Pure.
 * https://developers.cloudflare.com/durable-objects/reference/data-location/
 */
import type { Geography } from "../visitors/visitor.ts";

export type LocationHint = "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "oc" | "afr" | "me";

/** Between west and east, degrees: the Great Plains; the Oder and the Adriatic. */
const AMERICA_MIDDLE = -100;
const EUROPE_MIDDLE = 15;

/** Countries of Asia that are nearer to the Middle East's data centres than to those of Asia and the Pacific. */
const MIDDLE_EAST: ReadonlySet<string> = new Set("AE AM AZ BH CY GE IL IQ IR JO KW LB OM PS QA SA SY TR YE".split(" "));

/** @returns undefined where the place is not known: the object is then made near its first caller */
export function locationHintOf({ continent, country, longitude }: Geography): LocationHint | undefined {
  // Number("") is 0, which is a place.
  const east = longitude ? Number(longitude) : NaN;
  switch (continent) {
    case "NA":
      return east < AMERICA_MIDDLE ? "wnam" : "enam";
    case "SA":
      return "sam";
    case "EU":
      return east > EUROPE_MIDDLE ? "eeur" : "weur";
    case "AF":
      return "afr";
    case "AS":
      return MIDDLE_EAST.has(country ?? "") ? "me" : "apac";
    case "OC":
      return "oc";
    default:
      return undefined;
  }
}
