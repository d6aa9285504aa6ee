/**
 * Maps each bucket to the database of its links. `LINK_DATABASES` names each database's ranges of buckets:
 * `{"DB":"0-511","LINKS_1":"512-1023"}`. While buckets move, their new database names their source:
 * `{"DB":"0-255","LINKS_1":"256-511 from DB, 512-1023"}`. Without the setting, all links are in `DB`. Pure.
 */
import { BUCKETS, HOME_DATABASE } from "../../core/links/buckets.ts";

/** The number of possible binding names: `DB`, and `LINKS_1` to `LINKS_63`. */
export const LINK_DATABASES_MAX = 64;

const DATABASE_NAME = /^(?:DB|LINKS_(?:[0-9]|[1-5][0-9]|6[0-3]))$/;
const RANGE = /^(\d{1,4})(?:-(\d{1,4}))?(?: from (\w{1,8}))?$/;
/** Enough to list every bucket separately, with its source. */
const SETTING_MAX_CHARS = 20_000;

export interface BucketPlace {
  /** Name of the binding. */
  database: string;
  /** The database that the bucket's links move from; null when they do not move. */
  source: string | null;
}

export interface DatabaseMap {
  /** The place of each bucket, by its number. */
  places: readonly BucketPlace[];
  /** All names of bindings, sources included, each once. */
  databases: readonly string[];
  /** The place of every bucket, if all are the same. */
  only: BucketPlace | null;
  /** Whether any bucket has a source. */
  isMoving: boolean;
}

export class InvalidDatabaseMap extends Error {}

const ALL_IN_HOME = mapOf(Array.from({ length: BUCKETS }, () => ({ database: HOME_DATABASE, source: null })));

/** @throws InvalidDatabaseMap, which describes the problem */
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
  const databases = [...new Set(names)];
  const only = databases.length === 1 ? (places[0] ?? null) : null;
  return { places, databases, only, isMoving: places.some(({ source }) => source !== null) };
}

/** Names of the bindings besides the home database. @throws InvalidDatabaseMap */
export function otherDatabaseNames(setting: string | undefined): string[] {
  return parseDatabaseMap(setting).databases.filter((name) => name !== HOME_DATABASE);
}

/** @returns a setting that spreads buckets evenly over `DB`, `LINKS_1`, `LINKS_2`, … */
export function spreadBuckets(count: number): string {
  const first = (index: number) => Math.round((BUCKETS * index) / count);
  const ranges = Array.from({ length: count }, (_, index) => [
    index === 0 ? HOME_DATABASE : `LINKS_${index}`,
    `${first(index)}-${first(index + 1) - 1}`,
  ]);
  return JSON.stringify(Object.fromEntries(ranges));
}

/** The setting of a map. */
function formatDatabaseMap(places: readonly BucketPlace[]): string {
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

/** The setting as `admin links databases` shows it, including the default when it is not set. */
export function fullSetting(setting: string | undefined): string {
  return formatDatabaseMap(parseDatabaseMap(setting).places);
}

/** The setting while some buckets move to a database. Buckets that are already in it stay unchanged. */
export function settingDuringMove(setting: string | undefined, buckets: ReadonlySet<number>, to: string): string {
  const { places } = parseDatabaseMap(setting);
  return formatDatabaseMap(
    places.map((place, bucket) =>
      buckets.has(bucket) && place.database !== to ? { database: to, source: place.database } : place,
    ),
  );
}

/** The setting after buckets have moved: reads no longer query their source. */
export function settingAfterMove(setting: string | undefined, buckets: ReadonlySet<number>): string {
  const { places } = parseDatabaseMap(setting);
  return formatDatabaseMap(places.map((place, bucket) => (buckets.has(bucket) ? { ...place, source: null } : place)));
}

/**
 * Requires that each bucket stays in its place in the new setting, or that the new setting names that place as its
 * source. Any other setting would look for links in the wrong database.
 * @returns words that follow the setting's name: the first bucket that `after` looks for in the wrong place, or what is
 *   invalid in a setting; null if all links are found
 */
export function unreachableProblem(before: string | undefined, after: string | undefined): string | null {
  try {
    const { places } = parseDatabaseMap(before);
    for (const [bucket, { database, source }] of parseDatabaseMap(after).places.entries()) {
      const held = places[bucket]?.database;
      if (held === undefined || held === database || held === source) continue;
      return `has bucket ${bucket} in ${database}, and its links are in ${held}: move them, with "${bucket} from ${held}"`;
    }
    return null;
  } catch (error) {
    if (error instanceof InvalidDatabaseMap) return error.message;
    throw error;
  }
}
