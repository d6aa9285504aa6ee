/**
 * A Worker for `npm run dev -- --demo` only. It writes links and their past clicks into the development data, with the
 * same code that stores real ones. Visits cannot create past clicks, whose time would be that of the visit. Never
 * deployed.
 */
import * as z from "zod";

import { LINKS_MAX } from "../../core/limits.ts";
import { configuredHosts } from "../../core/deployment/settings.ts";
import { UNSET_CONTENT } from "../../core/links/link-members.ts";
import { findAccountByEmail } from "../../store/accounts/accounts.ts";
import { listKeys, type Caller } from "../../store/accounts/api-keys.ts";
import { recordBatch } from "../../store/link-object-client.ts";
import { insertLinksStatements, newLinkRecord } from "../../store/links/link-creation.ts";
import { countLinksStatement } from "../../store/directory/link-quota.ts";
import { type LinkRecord, linkRecordOf, type LinkRow } from "../../store/links/link-rows.ts";
import { updateStatement } from "../../store/links/links.ts";
import { groupByDatabase, linksDatabase } from "../../store/directory/databases.ts";
import { askEachDatabase } from "../../store/directory/directory.ts";
import { type DemoLink, demoLinks, seededRandom } from "./demo-links.ts";
import { demoBatches } from "./demo-traffic.ts";

// Bound by wrangler.toml.
export { AccountClicks } from "../../clicks/account-clicks.ts";
export { AccountFeed } from "../../clicks/account-feed.ts";
export { LinkClicks } from "../../clicks/link-clicks.ts";
export { ImageObject } from "../../images/image-object.ts";
export { Maintenance } from "../../maintenance/maintenance.ts";
export { Service } from "../../service-object.ts";

const SeedRequest = z.object({ email: z.string(), suffix: z.string(), links: z.int().min(1).max(LINKS_MAX.premium) });

/** Rows that one transaction inserts. */
const INSERTED_LINKS_MAX = 500;
/** Links with clicks: an object and a file each. The long tail beyond has none. */
const CLICKED_LINKS_MAX = 300;
const LINKS_AT_ONCE = 8;

interface MadeLink {
  link: DemoLink;
  /** Seed of its random clicks. */
  seed: number;
  /** The link in each of its versions. */
  history: LinkRecord[];
}

export default {
  /** @returns a text with the number of created links and clicks, or that the account already has links */
  async fetch(request: Request, env: Env): Promise<Response> {
    const { email, suffix, links } = SeedRequest.parse(await request.json());
    const account = await findAccountByEmail(env, email);
    if (!account) return new Response(`No account has the address ${email}`, { status: 404 });
    const caller: Caller = {
      accountId: account.id,
      mode: "live",
      plan: account.plan,
      scopes: [],
      origin: "api",
      rateKey: (await listKeys(env, account.id)).find(({ mode }) => mode === "live")?.id ?? "",
    };
    if (await hasLinks(env, caller)) return new Response(`${email} already has links`);
    const now = Date.now();
    const wanted = demoLinks(links, now, seededRandom(1)).map((link) => ({ ...link, slug: link.slug + suffix }));
    await backdateAccount(env, caller, Math.min(...wanted.map(({ createdAt }) => createdAt)));
    const made = await insertLinks(env, caller, wanted);
    await changeLinks(env, caller, made);
    const clicks = await recordTraffic(env, made, now);
    return new Response(`${email}: ${made.length} links, ${clicks} clicks`);
  },
};

async function hasLinks(env: Env, { accountId, mode }: Caller): Promise<boolean> {
  const sql = "SELECT 1 FROM links WHERE account_id = ?1 AND mode = ?2 LIMIT 1";
  const found = await askEachDatabase(env, (database) => database.prepare(sql).bind(accountId, mode).first());
  return found.some((row) => row !== null);
}

/** An account is at least as old as its links, from whose beginning its statistics may be requested. */
async function backdateAccount(env: Env, { accountId }: Caller, at: number): Promise<void> {
  await env.DB.prepare("UPDATE accounts SET created_at = min(created_at, ?2) WHERE id = ?1").bind(accountId, at).run();
}

async function insertLinks(env: Env, caller: Caller, wanted: readonly DemoLink[]): Promise<MadeLink[]> {
  const domain = configuredHosts(env)?.shortDomains.live ?? "";
  const made = wanted.map((link, seed) => {
    const { slug, title, tags, versions, createdAt } = link;
    const { url = "", routing = [] } = versions[0] ?? {};
    const content = { ...UNSET_CONTENT, slug, domain, url, routing, title, tags };
    return { link, seed, history: [newLinkRecord(caller, content, createdAt)] };
  });
  for (let from = 0; from < made.length; from += INSERTED_LINKS_MAX) {
    const part = made.slice(from, from + INSERTED_LINKS_MAX).flatMap(({ history }) => history);
    for (const [database, links] of groupByDatabase(env, part)) {
      const inserts = insertLinksStatements(env, database, links);
      await database.batch([
        ...inserts,
        countLinksStatement(database, caller, { links: links.length, made: links.length }),
      ]);
    }
  }
  return made;
}

async function changeLinks(env: Env, caller: Caller, made: readonly MadeLink[]): Promise<void> {
  for (const { link, history } of made) {
    for (const { since, url, routing } of link.versions.slice(1)) {
      const id = history[0]?.id ?? "";
      const statement = updateStatement(linksDatabase(env, { id }), caller, id, { url, routing }, null, since);
      const row = await statement.first<LinkRow>();
      if (row) history.push(linkRecordOf(row));
    }
  }
}

async function recordTraffic(env: Env, made: readonly MadeLink[], now: number): Promise<number> {
  const busiest = made
    .toSorted((one, other) => other.link.visitsPerDay - one.link.visitsPerDay)
    .slice(0, CLICKED_LINKS_MAX);
  let clicks = 0;
  for (let from = 0; from < busiest.length; from += LINKS_AT_ONCE) {
    const counts = busiest.slice(from, from + LINKS_AT_ONCE).map((one) => recordClicks(env, one, now));
    for (const count of await Promise.all(counts)) clicks += count;
  }
  return clicks;
}

async function recordClicks(env: Env, { link, seed, history }: MadeLink, now: number): Promise<number> {
  let count = 0;
  for (const { version, clicks } of demoBatches(link, now, seededRandom(seed))) {
    const record = history[version];
    if (!record) throw new Error(`${link.slug} has no version ${version}`);
    const id = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
    const outcome = await recordBatch(env, record, { id, revision: record.revision, clicks, snapshot: record });
    if (outcome.kind !== "recorded") throw new Error(`clicks of ${link.slug} were not recorded: ${outcome.kind}`);
    count += clicks.count;
  }
  return count;
}
