/** Finds the uploaded images that links use. */
import { queryLinkDatabases } from "../directory/directory.ts";
import type { LinksEnv } from "../directory/databases.ts";

/** The condition and the expression are those of the index. Deleted links have no card. */
const USED_SQL = `SELECT value AS key FROM json_each(?1) WHERE EXISTS (
  SELECT 1 FROM links INDEXED BY links_by_image WHERE account_id = value ->> 0 AND mode = value ->> 1
    AND substr(social ->> 'image', instr(social ->> 'image', '/img_') + 1, 30) = value ->> 2 AND social IS NOT NULL)`;

/**
 * Asks all databases: any of the account's links may use an image. A link that moves in the meantime is found.
 * @param keys  JSON arrays of account, mode and image
 */
export async function findUsedImages(env: LinksEnv, keys: readonly string[]): Promise<Set<string>> {
  const keyOf = ({ key }: { key: string }) => key;
  const used = await queryLinkDatabases<{ key: string }>(env, keyOf, async (database) => {
    return (await database.prepare(USED_SQL).bind(`[${keys.join()}]`).all<{ key: string }>()).results;
  });
  return new Set(used.map(keyOf));
}
