/** Imports of files with slugs that differ only in case, into a case-sensitive domain and one that ignores case. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { Domain } from "../../src/core/contract/domains.ts";
import { LinkPage } from "../../src/core/contract/links.ts";
import type { ImportReport } from "../../src/core/imports/run-import.ts";
import { ApiClient } from "../support/api-client.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { DnsServer } from "../support/dns-server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const RUN_MS = 120_000;
const SLUGS = ["Ab", "aB", "ab", "Long-Slug_1", "long-slug_1"];
const urlOf = (slug: string) => `https://example.com/${slug}`;

const KUTT = JSON.stringify({
  total: SLUGS.length,
  data: SLUGS.map((slug) => ({ address: slug, banned: false, password: false, target: urlOf(slug) })),
});
const YOURLS = `INSERT INTO \`yourls_url\` VALUES ${SLUGS.map(
  (slug) => `('${slug}','${urlOf(slug)}','A title','2024-03-01 09:00:00','192.0.2.1',3)`,
).join(",")};\n`;

let dns: DnsServer;
let server: DevServer;
let api: ApiClient;
let folder: string;

beforeAll(async () => {
  dns = await DnsServer.start();
  server = await startDevServer({ DOH_URL: dns.url });
  api = new ApiClient(server.base, server.accounts.Premium.live);
  folder = mkdtempSync(join(tmpdir(), "hoplink-import-"));
});

afterAll(async () => {
  await server?.remove();
  await dns?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function activeDomain(domain: string): Promise<Domain> {
  const { id, records } = Domain.parse(await api.call("POST", "/v1/domains", { domain }));
  for (const { type, name, value } of records) if (type !== "CERTIFICATE" && value) dns.set(name, type, value);
  const checked = Domain.parse(await api.call("GET", `/v1/domains/${id}`));
  expect(checked.status).toBe("active");
  return checked;
}

interface Run {
  code: number | null;
  said: string;
  report: ImportReport | null;
}

async function run(file: string, ...args: string[]): Promise<Run> {
  const { live } = server.accounts.Premium;
  const command = ["src/cli/import/import.ts", join(folder, file), "--key", live, "--url", server.base, "--json"];
  const child = spawn(process.execPath, [...command, ...args], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let [out, said] = ["", ""];
  child.stdout.on("data", (part) => (out += part));
  child.stderr.on("data", (part) => (said += part));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, said, report: out === "" ? null : JSON.parse(out.trim().split("\n").at(-1) ?? "") };
}

/** The URL that a visitor of the domain is redirected to, or the status without a redirect. */
function whereTo(domain: string, slug: string): Promise<string | number> {
  return new Promise((done, fail) => {
    const visit = request(`${server.base}/${slug}`, { headers: { Host: `${domain}:${server.port}` } }, (response) => {
      response.resume();
      done(response.headers.location ?? response.statusCode ?? 0);
    });
    visit.on("error", fail).end();
  });
}

async function linksOn(domain: string): Promise<string[]> {
  const page = LinkPage.parse(await api.call("GET", `/v1/links?${new URLSearchParams({ domain, limit: "100" })}`));
  return page.data.map((link) => JSON.stringify(link)).sort();
}

test.each([
  ["kutt.json", KUTT, "go.kutt-import.example"],
  ["yourls.sql", YOURLS, "go.yourls-import.example"],
])(
  "%s is imported completely with --case-sensitive, and the second time nothing changes",
  { timeout: RUN_MS },
  async (file, text, domain) => {
    const { id } = await activeDomain(domain);
    writeFileSync(join(folder, file), text);
    const args = ["--domain", domain, "--case-sensitive"];

    const tried = await run(file, ...args, "--dry-run");
    expect([tried.code, tried.report]).toMatchObject([0, { created: SLUGS.length, refused: [] }]);
    expect(await api.call("GET", `/v1/domains/${id}`)).not.toHaveProperty("case_sensitive");

    const first = await run(file, ...args);
    expect([first.code, first.report]).toMatchObject([0, { created: SLUGS.length, unchanged: 0, refused: [] }]);
    for (const slug of SLUGS) expect(await whereTo(domain, slug)).toBe(urlOf(slug));
    expect(await whereTo(domain, "AB")).toBe(404);

    const links = await linksOn(domain);
    expect(links).toHaveLength(SLUGS.length);
    for (const again of [await run(file, ...args), await run(file, "--domain", domain)]) {
      expect([again.code, again.report]).toMatchObject([
        0,
        { created: 0, updated: 0, unchanged: SLUGS.length, refused: [] },
      ]);
    }
    expect(await linksOn(domain)).toEqual(links);
  },
);

test(
  "without it the second of each is refused with the fix, and after the first link it is too late",
  { timeout: RUN_MS },
  async () => {
    const domain = "go.any-case.example";
    await activeDomain(domain);
    writeFileSync(join(folder, "again.json"), KUTT);
    const { code, said, report } = await run("again.json", "--domain", domain);
    expect([code, report]).toMatchObject([1, { created: 2 }]);
    expect(report?.refused).toHaveLength(3);
    expect(said).toContain(`which ${domain} does not distinguish. Make slugs case-sensitive on it before you create`);
    expect(await whereTo(domain, "AB")).toBe(urlOf("Ab"));
    for (const more of [[], ["--dry-run"]]) {
      const late = await run("again.json", "--domain", domain, "--case-sensitive", ...more);
      expect([late.code, late.report]).toEqual([2, null]);
      expect(late.said).toContain(`You have created links on ${domain}`);
    }
  },
);
