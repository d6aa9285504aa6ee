/** What the operator sees of the links' databases. */
import { type DatabaseMap, parseDatabaseMap } from "../../core/links/database-map.ts";
import { databaseNamed, type LinksEnv } from "./links-database.ts";

export interface DatabaseSize {
  name: string;
  /** Not deleted. */
  links: number;
  /** Ever made. */
  made: number;
  /** Of the whole database. */
  bytes: number;
}

/** Reads a row of each account, and no links. */
export async function readDatabaseSizes(env: LinksEnv): Promise<DatabaseSize[]> {
  const { databases }: DatabaseMap = parseDatabaseMap(env.LINK_DATABASES);
  return Promise.all(
    databases.map(async (name) => {
      const { results, meta } = await databaseNamed(env, name)
        .prepare("SELECT coalesce(sum(links), 0) AS links, coalesce(sum(made), 0) AS made FROM link_counts")
        .all<{ links: number; made: number }>();
      const [{ links, made } = { links: 0, made: 0 }] = results;
      return { name, links, made, bytes: meta.size_after };
    }),
  );
}
