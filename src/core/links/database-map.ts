/**
 * Which database has the links of each bucket. `LINK_DATABASES` names for each database its ranges of buckets:
 * `{"DB":"0-511","LINKS_1":"512-1023"}`. While buckets move, their new database says where they come from:
 * `{"DB":"0-255","LINKS_1":"256-511 from DB, 512-1023"}`. Without the setting all links are in `DB`. Pure.
 */
import { BUCKETS } from "./buckets.ts";

/** The home database: accounts, keys, domains. It may have links as well. */
export const HOME_DATABASE = "DB";

const DATABASE_NAME = /^(?:DB|LINKS_(?:[0-9]|[1-5][0-9]|6[0-3]))$/;
const RANGE = /^(\d{1,4})(?:-(\d{1,4}))?(?: from (\w{1,8}))?$/;
/** Every bucket by itself, with its source. */
const SETTING_MAX_CHARS = 20_000;

export interface BucketPlace {
  /** Name of the binding. */
  database: string;
  /** The database that the bucket's links are moved from; null when they are not moved. */
  source: string | null;
}

export interface DatabaseMap {
  /** Of each bucket. */
  places: readonly BucketPlace[];
  /** All names of bindings, sources included, each once. */
  databases: readonly string[];
  /** Whether any bucket has a source. */
  isMoving: boolean;
}

export class InvalidDatabaseMap extends Error {}

const ALL_IN_HOME = mapOf(Array.from({ length: BUCKETS }, () => ({ database: HOME_DATABASE, source: null })));

/** @throws InvalidDatabaseMap, with what is wrong */
export function parseDatabaseMap(setting: string | undefined): DatabaseMap {
  if (setting === undefined || setting.trim() === "") return ALL_IN_HOME;
  const places: (BucketPlace | undefined)[] = Array.from({ length: BUCKETS });
  for (const [database, ranges] of entriesOf(setting)) {
    for (const { first, last, source } of rangesOf(database, ranges)) {
      for (let bucket = first; bucket <= last; bucket++) {
        if (places[bucket]) throw new InvalidDatabaseMap(`names bucket ${bucket} twice`);
        places[bucket] = { database, source };
      }
    }
  }
  const missing = places.findIndex((place) => place === undefined);
  if (missing >= 0) throw new InvalidDatabaseMap(`does not name bucket ${missing}`);
  return mapOf(places.filter((place) => place !== undefined));
}

function entriesOf(setting: string): [string, string][] {
  if (setting.length > SETTING_MAX_CHARS)
    throw new InvalidDatabaseMap(`is longer than ${SETTING_MAX_CHARS} characters`);
  let table: unknown;
  try {
    table = JSON.parse(setting);
  } catch {
    throw new InvalidDatabaseMap("is not JSON");
  }
  if (typeof table !== "object" || table === null || Array.isArray(table)) {
    throw new InvalidDatabaseMap("is not a JSON object");
  }
  return Object.entries(table).map(([database, ranges]) => {
    requireName(database);
    if (typeof ranges !== "string") throw new InvalidDatabaseMap(`must name ranges of buckets for ${database}`);
    return [database, ranges];
  });
}

function rangesOf(database: string, ranges: string) {
  return ranges.split(",").map((text) => {
    const [, from = "", to = from, source = null] = RANGE.exec(text.trim()) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === "" || first > last || last >= BUCKETS) {
      throw new InvalidDatabaseMap(`has no range of buckets from 0 to ${BUCKETS - 1} in "${text.trim().slice(0, 40)}"`);
    }
    if (source !== null) requireName(source);
    if (source === database) throw new InvalidDatabaseMap(`moves buckets from ${database} to itself`);
    return { first, last, source };
  });
}

function requireName(name: string): void {
  if (!DATABASE_NAME.test(name)) {
    throw new InvalidDatabaseMap(`names "${name.slice(0, 40)}": databases are DB and LINKS_0 to LINKS_63`);
  }
}

function mapOf(places: readonly BucketPlace[]): DatabaseMap {
  const names = places.flatMap(({ database, source }) => (source === null ? [database] : [database, source]));
  return { places, databases: [...new Set(names)], isMoving: places.some(({ source }) => source !== null) };
}

/** The setting for places of buckets. */
export function formatDatabaseMap(places: readonly BucketPlace[]): string {
  const ranges = new Map<string, string[]>();
  for (let first = 0; first < places.length;) {
    const place = places[first];
    if (!place) break;
    const end = places.findIndex((other, bucket) => bucket > first && !isSamePlace(place, other));
    const last = (end < 0 ? places.length : end) - 1;
    const range = first === last ? `${first}` : `${first}-${last}`;
    const text = place.source === null ? range : `${range} from ${place.source}`;
    ranges.set(place.database, [...(ranges.get(place.database) ?? []), text]);
    first = last + 1;
  }
  return JSON.stringify(Object.fromEntries([...ranges].map(([database, texts]) => [database, texts.join(", ")])));
}

function isSamePlace(one: BucketPlace, other: BucketPlace): boolean {
  return one.database === other.database && one.source === other.source;
}

/** The places while some buckets move to a database. Those that are there stay as they are. */
export function placesDuringMove(
  places: readonly BucketPlace[],
  buckets: ReadonlySet<number>,
  to: string,
): BucketPlace[] {
  return places.map((place, bucket) =>
    buckets.has(bucket) && place.database !== to ? { database: to, source: place.database } : place,
  );
}

/** The places once buckets have moved: their source is not asked any more. */
export function placesAfterMove(places: readonly BucketPlace[], buckets: ReadonlySet<number>): BucketPlace[] {
  return places.map((place, bucket) => (buckets.has(bucket) ? { ...place, source: null } : place));
}
