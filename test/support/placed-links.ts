/**
 * Rows of links for tests inside workerd, written by SQL into the databases that their addresses belong to: many
 * together, with members and times that the API would not give them.
 */
import { encodeTime } from "../../src/core/identifiers.ts";
import { bucketOfAddress, bucketText } from "../../src/core/links/buckets.ts";
import { jsonTexts } from "../../src/store/statements.ts";
import { groupByDatabase, type LinksEnv } from "../../src/store/directory/databases.ts";

export interface PlacedLink {
  account_id: string;
  id: string;
  domain: string;
  slug: string;
  url: string;
  /** Epoch ms. */
  created_at: number;
  expires_at?: number;
  deleted_at?: number;
  tags?: readonly string[];
}

/** The id of the `n`-th link created at a time. */
export function placedId(domain: string, slug: string, createdAt: number, n: number): string {
  const bucket = bucketText(bucketOfAddress(domain, slug));
  return `lnk_${encodeTime(createdAt)}${encodeTime(n).padStart(14, "0")}${bucket}`;
}

/** Triggers write the tags' own tables. A query that is repeated (src/cli/database.ts) may find its own rows. */
const INSERT_SQL = `INSERT INTO links (account_id, mode, id, origin, domain, slug, url, routing, created_at, updated_at,
    revision, expires_at, deleted_at, tags)
  SELECT value ->> 'account_id', 'live', value ->> 'id', 'api', value ->> 'domain', value ->> 'slug', value ->> 'url', '[]',
    value ->> 'created_at', value ->> 'created_at', 1, value ->> 'expires_at', value ->> 'deleted_at', value ->> 'tag_pairs'
  FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`;

export async function placeLinks(on: LinksEnv, links: readonly PlacedLink[]): Promise<void> {
  const inserts = [...groupByDatabase(on, links)].map(([database, placed]) => {
    const rows = placed.map(({ tags, ...link }) => ({ ...link, tag_pairs: tagPairs(tags) }));
    return database.batch(jsonTexts(rows).map((texts) => database.prepare(INSERT_SQL).bind(texts)));
  });
  await Promise.all(inserts);
}

/** Tags in the column's form: the compared text next to the shown one. */
function tagPairs(tags: readonly string[] = []): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags.map((tag) => [tag.toLowerCase(), tag]));
}
