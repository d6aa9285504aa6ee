/** Links on case-sensitive domains in backups and exports: each is restored to its own address and keeps its state. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { Installation } from "../support/installation.ts";

const DOMAIN = "go.brand.example";
const TIMEOUT_MS = 300_000;
const urlOf = (slug: string) => `https://example.com/${slug}`;

let source: Installation;
let folder: string;
let holder: { id: string; key: string };
let former: { id: string; key: string };
let domainId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-case-"));
  source = await Installation.start();
  [former, holder] = [await newHolder(), await newHolder()];
  await activate(former.key);
  await create(former.key, "Old");
  domainId = await activate(holder.key);
  await source.call(holder.key, "PATCH", `/v1/domains/${domainId}`, { case_sensitive: true });
  for (const slug of ["Old", "Ab", "aB", "AB"]) await create(holder.key, slug);
  const deleted = await linkAt(source, "AB");
  await source.call(holder.key, "DELETE", `/v1/links/${deleted?.id}`);
}, TIMEOUT_MS);

afterAll(async () => {
  await source.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function newHolder() {
  const env = { DB: await source.database() };
  const { id } = await newTestAccount(env);
  return { id, key: await issueKeyText(env, id, "live", "test") };
}

/** Activates the domain as if DNS had proven it for this account, and no longer for its former holder. */
async function activate(key: string): Promise<string> {
  const DB = await source.database();
  await DB.prepare("UPDATE domains SET status = 'misconfigured', verified_at = NULL").run();
  const { id } = await source.call(key, "POST", "/v1/domains", { domain: DOMAIN });
  await DB.prepare("UPDATE domains SET status = 'active', verified_at = 1, check_started_at = ?2 WHERE id = ?1")
    .bind(id, Date.now())
    .run();
  return String(id);
}

function create(key: string, slug: string) {
  return source.call(key, "POST", "/v1/links", { url: urlOf(slug), slug, domain: DOMAIN });
}

async function linkAt(at: Installation, slug: string): Promise<{ id: string } | undefined> {
  const page = await at.call(holder.key, "GET", `/v1/links?slug=${slug}&domain=${DOMAIN}`);
  return (page.data as { id: string }[])[0];
}

async function visits(at: Installation): Promise<(string | number)[]> {
  const slugs = ["Ab", "aB", "AB", "ab", "OLD", "old", "Old"];
  const answers: (string | number)[] = [];
  for (const slug of slugs) {
    const { status, location } = await at.visit(`http://${DOMAIN}/${slug}`);
    answers.push(location ?? status);
  }
  return answers;
}

/** A former holder's link has ended (410) where its spelling differs from the holder's links. */
const LEADS_TO = [urlOf("Ab"), urlOf("aB"), 410, 404, 410, 410, urlOf("Old")];

test(
  "a restored domain redirects as before, and its links are fixed as before",
  async () => {
    expect(await visits(source)).toEqual(LEADS_TO);
    await source.admin("backup", "--to", join(folder, "backup"));
    const target = await Installation.start();
    try {
      await target.admin("restore", "--from", join(folder, "backup"));
      expect(await visits(target)).toEqual(LEADS_TO);
      for (const slug of ["Ab", "aB", "Old"]) expect(await linkAt(target, slug)).toEqual(await linkAt(source, slug));
      const call = (key: string, method: string, path: string, body: object) => target.call(key, method, path, body);
      const path = `/v1/domains/${domainId}`;
      await expect(call(holder.key, "PATCH", path, { case_sensitive: false })).rejects.toThrow("domain_has_links");
      for (const slug of ["AB", "Old", "Ab"]) {
        const body = { url: urlOf(slug), slug, domain: DOMAIN };
        await expect(call(holder.key, "POST", "/v1/links", body)).rejects.toThrow("slug_taken");
      }
      await call(holder.key, "POST", "/v1/links", { url: urlOf("ab"), slug: "ab", domain: DOMAIN });
    } finally {
      await target.stop();
    }
  },
  TIMEOUT_MS,
);

test(
  "an account's export contains link names as they were typed",
  async () => {
    await source.admin("export", "--account", holder.id, "--to", join(folder, "export"));
    const rows = readFileSync(join(folder, "export", "links.ndjson"), "utf8")
      .trim()
      .split("\n");
    const links = rows.map((row) => JSON.parse(row) as { slug: string; short_url: string; state: string });
    expect(links.map(({ slug, short_url, state }) => [slug, short_url, state])).toEqual(
      [
        ["Old", "active"],
        ["Ab", "active"],
        ["aB", "active"],
        ["AB", "deleted"],
      ].map(([slug, state]) => [slug, expect.stringMatching(new RegExp(`^https?://${DOMAIN}/${slug}$`)), state]),
    );
  },
  TIMEOUT_MS,
);
