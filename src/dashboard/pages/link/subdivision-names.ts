/** Names of regions by ISO 3166-2 code. Loaded lazily: `Intl` has no names of subdivisions, and the list is long. */
import { iso31662 } from "iso-3166";

export const SUBDIVISION_NAMES: ReadonlyMap<string, string> = new Map(iso31662.map(({ code, name }) => [code, name]));
