/** Links of an account in each of several databases. */
import { randomSlug, SLUG_RANDOM_WORDS } from "../../src/core/identifiers.ts";
import { UNSET_CONTENT } from "../../src/core/links/link-members.ts";
import type { Caller } from "../../src/store/accounts/api-keys.ts";
import { insertLinksStatements, newLinkRecord } from "../../src/store/links/link-creation.ts";
import type { LinkRecord } from "../../src/store/links/link-rows.ts";
import { linkDatabases, linksDatabase } from "../../src/store/directory/databases.ts";

const SHORT_DOMAIN = "localhost:8787";

export function callerOf({ accountId }: { accountId: string }): Caller {
  return { accountId, mode: "live", plan: "premium", scopes: [], origin: "api", rateKey: "" };
}

/** A new link whose address belongs to the database. */
export function linkIn(on: Env, database: D1Database, caller: Caller, domain = SHORT_DOMAIN): LinkRecord {
  for (;;) {
    const slug = randomSlug(crypto.getRandomValues(new Uint32Array(SLUG_RANDOM_WORDS)));
    if (linksDatabase(on, { domain, slug }) !== database) continue;
    const content = { ...UNSET_CONTENT, url: "https://example.com/" };
    return newLinkRecord(caller, { ...content, domain, slug });
  }
}

/** Writes it as the creation of links does. @throws the error of D1 when the database refuses links on the domain */
export async function insertLink(on: Env, link: LinkRecord): Promise<void> {
  const database = linksDatabase(on, link);
  await database.batch([
    ...insertLinksStatements(on, database, [link]),
    database
      .prepare(
        `INSERT INTO link_counts (account_id, links, made) VALUES (?1, 1, 1)
         ON CONFLICT DO UPDATE SET links = links + 1, made = made + 1`,
      )
      .bind(link.accountId),
  ]);
}

/** One link in each database, in their order. */
export async function linksInEach(on: Env, caller: Caller, domain?: string): Promise<LinkRecord[]> {
  const links = linkDatabases(on).map((database) => linkIn(on, database, caller, domain));
  for (const link of links) await insertLink(on, link);
  return links;
}
