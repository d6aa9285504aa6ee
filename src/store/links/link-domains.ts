/** The short domains of links. */
import { testPathDomain } from "../../core/hosts.ts";
import { type LinksEnv } from "../directory/databases.ts";
import { selectLinks } from "../directory/directory.ts";

/** Those of the hosts at which links are, of either mode. */
export async function findDomainsWithLinks(env: LinksEnv, hosts: readonly string[]): Promise<string[]> {
  if (hosts.length === 0) return [];
  const wanted = JSON.stringify(hosts.map((host) => [host, testPathDomain(host)]));
  const sql = `SELECT value ->> 0 AS id FROM json_each(?1) WHERE EXISTS
    (SELECT 1 FROM links l WHERE l.domain IN (value ->> 0, value ->> 1))`;
  const found = await selectLinks(env, (database) => database.prepare(sql).bind(wanted));
  return [...new Set(found.map(({ id }) => id))];
}
