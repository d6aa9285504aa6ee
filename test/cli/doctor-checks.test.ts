/** What `admin doctor` says of what it has found. */
import { describe, expect, it } from "vitest";

import { type HostFact, remoteChecks, type RemoteFacts } from "../../src/cli/deployment/checks.ts";
import { formatChecks, type LocalFacts, localChecks, Unreadable, worstLevel } from "../../src/cli/deployment/check.ts";

const WORKER = "hoplink";
const HEALTHY = [{ name: "database", ok: true, message: "Written and read" }];
const HOST = { hostname: "go.example.com", service: WORKER, hasCertificate: true, fault: null };
const OWN_HOST = { BASE_URL: "https://go.example.com", SHORT_DOMAIN: "go.example.com" };
const IMAGES = { url: "https://cdn.example.com/health", status: 200, missingHeaders: [] };
const SECRET = "BETTER_AUTH_SECRET";
const FORBIDDEN = new Unreadable("Authentication error", true);

const LACKING = [{ database: "DB", pending: ["0002_later.sql"] }];

const SOUND: RemoteFacts = {
  name: WORKER,
  isNamed: false,
  variables: {},
  secrets: new Set([SECRET]),
  bindings: [{ name: "DB" }, { name: "RATE_FREE", namespace_id: "1" }],
  expectedBindings: [{ name: "DB" }, { name: "RATE_FREE", namespace_id: "1" }],
  migrationTag: "v2",
  knownTags: ["v1", "v2"],
  pending: [],
  hasAccounts: true,
  replication: "auto",
  crons: ["* * * * *"],
  expectedCrons: ["* * * * *"],
  deployment: { id: "d", created_on: "", versions: [{ version_id: "a", percentage: 100 }] },
  hosts: [HOST],
  bucket: "hoplink-qr",
  hasSalts: true,
  images: null,
  health: HEALTHY,
  fallbackOrigin: { origin: "customers.example.com", status: "active" },
};
const SOUND_HERE: LocalFacts = {
  hasDatabase: true,
  pending: [],
  hasAccounts: true,
  url: "http://localhost:8787",
  health: HEALTHY,
};
const HALF = [
  { version_id: "a", percentage: 90 },
  { version_id: "b", percentage: 10 },
];

const WITH_CUSTOMERS = { variables: { CF_ZONE_ID: "z" }, secrets: new Set([SECRET, "CF_API_TOKEN"]) };

type Row = [name: string, level: string, command: string | null, change: Partial<RemoteFacts>];

describe("a deployment", () => {
  it.each<[string, Partial<RemoteFacts>]>([
    ["on a host of its own", { variables: OWN_HOST }],
    ["on workers.dev", { hosts: [] }],
    ["without R2", { bucket: null }],
    ["with images on the bucket's domain", { images: IMAGES }],
    ["open to everybody", { variables: { SIGNUPS: "open" } }],
    [
      "with customers' domains",
      { variables: { CF_ZONE_ID: "z", CNAME_TARGET: "t.example.com" }, secrets: new Set([SECRET, "CF_API_TOKEN"]) },
    ],
  ])("that is sound is ok: %s", (_, change) => {
    const checks = remoteChecks({ ...SOUND, ...change });
    expect(checks.filter(({ level, command }) => level !== "ok" || command !== null)).toEqual([]);
    expect(checks.length).toBeGreaterThan(12);
    expect(worstLevel(checks)).toBe("ok");
  });

  it.each<Row>([
    ["bindings", "failure", "npm run setup", { bindings: [{ name: "DB" }] }],
    [
      "settings",
      "failure",
      `openssl rand -base64 32 | npx wrangler secret put ${SECRET} --name ${WORKER}`,
      { secrets: new Set() },
    ],
    ["settings", "failure", "npm run setup -- --var BASE_URL:VALUE", { variables: { BASE_URL: "go.example.com" } }],
    ["settings", "failure", "npm run setup -- --var ABUSE_CONTACT:VALUE", { variables: { ABUSE_CONTACT: "me" } }],
    ["migrations", "failure", "npm run upgrade", { pending: LACKING }],
    ["replication", "warning", "npm run setup", { replication: "disabled" }],
    ["replication", "warning", "npm run setup -- --no-r2", { replication: "disabled", bucket: null }],
    ["visitors", "warning", "npm run setup", { hasSalts: false }],
    ["cron jobs", "failure", "npm run setup -- --name two", { crons: [], name: "two", isNamed: true, hosts: [] }],
    ["objects", "warning", "npm run upgrade", { migrationTag: "v1" }],
    ["objects", "warning", "npm run upgrade", { migrationTag: null }],
    ["objects", "warning", "git pull && npm ci", { migrationTag: "v3" }],
    ["version", "failure", "npm run setup", { deployment: null }],
    [
      "version",
      "warning",
      "npm run upgrade -- --continue, or npm run rollback",
      { deployment: { id: "d", created_on: "", versions: HALF } },
    ],
    [
      "rate limits",
      "warning",
      "npm run upgrade",
      { bindings: [{ name: "DB" }, { name: "RATE_FREE", namespace_id: "2" }] },
    ],
    [
      "customers' domains",
      "failure",
      "npm run setup -- --var CF_ZONE_ID:VALUE",
      { secrets: new Set([SECRET, "CF_API_TOKEN"]) },
    ],
    [
      "customers' domains",
      "failure",
      `npx wrangler secret put CF_API_TOKEN --name ${WORKER}`,
      { variables: { CF_ZONE_ID: "z" } },
    ],
    ["customers' domains", "warning", "npm run setup -- --var CNAME_TARGET:VALUE", WITH_CUSTOMERS],
    ["customers' domains", "failure", null, { ...WITH_CUSTOMERS, fallbackOrigin: null }],
    [
      "customers' domains",
      "warning",
      null,
      { ...WITH_CUSTOMERS, fallbackOrigin: { origin: "customers.example.com", status: "pending_deployment" } },
    ],
    ["customers' domains", "warning", null, { ...WITH_CUSTOMERS, fallbackOrigin: FORBIDDEN }],
    [
      "images",
      "failure",
      "npx wrangler r2 bucket domain add hoplink-qr --domain cdn.example.com --zone-id ZONE_ID",
      { images: { ...IMAGES, status: 404 } },
    ],
    ["images", "warning", null, { images: { ...IMAGES, missingHeaders: ["X-Content-Type-Options"] } }],
    ["sign-ups", "warning", "npm run setup -- --var SIGNUPS:VALUE", { variables: { SIGNUPS: "Open" } }],
    ["accounts", "warning", "npm run setup", { hasAccounts: false }],
    [
      "health: objects",
      "failure",
      `npx wrangler tail ${WORKER}`,
      { health: [...HEALTHY, { name: "objects", ok: false, message: "broken" }] },
    ],
    ["health", "failure", `npx wrangler tail ${WORKER}`, { health: new Unreadable("answers 404", false) }],
    ["cron jobs", "warning", null, { crons: FORBIDDEN }],
    ["hosts", "warning", null, { hosts: FORBIDDEN }],
    ["migrations", "failure", null, { pending: new Unreadable("The database could not be found", false) }],
  ])("with wrong %s: %s, %s", (name, level, command, change) => {
    const wrong = remoteChecks({ ...SOUND, ...change }).filter((check) => check.level !== "ok");
    expect(wrong).toEqual([{ name, level, command, message: expect.stringMatching(/./) }]);
  });

  it.each<[string, Partial<HostFact>, string]>([
    ["another Worker's", { service: "other" }, "failure"],
    ["without certificate", { hasCertificate: false }, "failure"],
    ["silent", { fault: "ENOTFOUND" }, "failure"],
    ["on a route", { service: null, hasCertificate: false }, "warning"],
  ])("names the command for a host that is %s", (_, change, level) => {
    const hosts = [{ ...HOST, ...change }];
    const check = (variables: Record<string, string>) =>
      remoteChecks({ ...SOUND, variables, hosts }).find(({ name }) => name === "host go.example.com");
    expect(check(OWN_HOST)).toMatchObject({ level, command: "npm run setup -- --domain go.example.com" });
    expect(check({ ...OWN_HOST, TEST_SHORT_DOMAIN: "t.example.com" })?.command).toBe(
      "npm run setup -- --domain go.example.com --test-domain t.example.com",
    );
    expect(check({ ...OWN_HOST, SHORT_DOMAIN: "s.example.com" })?.command).toBeNull();
  });

  it("says a fault once where its health names it, too", () => {
    const health = ["settings", "migrations"].map((name) => ({ name, ok: false, message: "wrong" }));
    const names = (change: Partial<RemoteFacts>) =>
      remoteChecks({ ...SOUND, health, ...change })
        .filter(({ level }) => level === "failure")
        .map(({ name }) => name);
    expect(names({ secrets: new Set(), pending: LACKING })).toEqual(["settings", "migrations"]);
    expect(names({})).toEqual(["health: settings", "health: migrations"]);
  });
});

describe("the development database", () => {
  it.each<[string, Partial<LocalFacts>, string, string | null]>([
    ["is sound", {}, "ok", null],
    ["is not there", { hasDatabase: false }, "failure", "npm run dev"],
    ["is not migrated", { pending: LACKING }, "failure", "npm run dev"],
    ["has no account", { hasAccounts: false }, "warning", "npm run admin -- account create --email E"],
    ["has no server", { health: null }, "warning", "npm run dev"],
  ])("%s", (_, change, level, command) => {
    const checks = localChecks({ ...SOUND_HERE, ...change });
    expect(worstLevel(checks)).toBe(level);
    expect(checks.find((check) => check.level !== "ok")?.command ?? null).toBe(command);
  });

  it("has a line for each check, in which nothing of an answer controls the terminal", () => {
    const checks = localChecks({ ...SOUND_HERE, health: [{ name: "images", ok: false, message: "a\u001B[2J\nb" }] });
    expect(formatChecks(checks)).toBe(
      "✓ migrations: All are applied\n✓ accounts: There is one\n✗ health: images: a\\u{1b}[2J\\u{a}b\n    → npm run dev",
    );
  });
});
