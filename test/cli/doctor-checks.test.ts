/** The report of `admin doctor` on its findings. */
import { describe, expect, it } from "vitest";

import { CloudflareApiError } from "../../src/cli/cloudflare/api.ts";
import { formatChecks, localChecks, remoteChecks, worstLevel } from "../../src/cli/deployment/checks.ts";
import type { HostFact, LocalFacts, RemoteFacts } from "../../src/cli/deployment/facts.ts";
import type { HostReply } from "../../src/cli/deployment/host-request.ts";

const WORKER = "hoplink";
const HEALTHY = [{ name: "database", ok: true, message: "Written and read" }];
const HOST = { hostname: "go.example.com", service: WORKER, hasCertificate: true, fault: null };
const OWN_HOST = { BASE_URL: "https://go.example.com", SHORT_DOMAIN: "go.example.com" };
const IMAGES = { url: "https://cdn.example.com/health", status: 200, missingHeaders: [] };
const SECRET = "BETTER_AUTH_SECRET";
const unreadable = (error: Error) => () => Promise.reject(error);
const FORBIDDEN = unreadable(new CloudflareApiError("GET /", 403, 10_000, "Authentication error"));
/** A fact that can be read. */
const is =
  <T>(fact: T) =>
  async () =>
    fact;

function reply(status: number, body: string): HostReply {
  return { status, body, content: Buffer.from(body), headers: new Headers(), location: null };
}

const D1 = { name: "DB", type: "d1" };
const rateLimit = (namespace_id: string) => ({ name: "RATE_FREE", type: "ratelimit", namespace_id });
const LACKING = [{ database: "DB", pending: ["0002_later.sql"] }];

const SOUND: RemoteFacts = {
  name: WORKER,
  isNamed: false,
  variables: {},
  secrets: new Set([SECRET]),
  bindings: [D1, rateLimit("1")],
  expectedBindings: [{ name: "DB" }, { name: "RATE_FREE", namespace_id: "1" }],
  migrationTag: "v2",
  knownTags: ["v1", "v2"],
  pending: is([]),
  hasAccounts: is(true),
  replication: is("auto"),
  crons: is(["* * * * *"]),
  expectedCrons: ["* * * * *"],
  deployment: is({ id: "d", created_on: "", versions: [{ version_id: "a", percentage: 100 }] }),
  hosts: is([HOST]),
  plainHttp: is({ url: "http://go.example.com/health", location: "https://go.example.com/health" }),
  pythonReply: is(reply(200, "{}")),
  bucket: "hoplink-qr",
  salts: "0f2ac74b498b48028cb68387c421e279",
  images: is(null),
  health: is(HEALTHY),
  fallbackOrigin: is({ origin: "customers.example.com", status: "active" }),
};
const SOUND_HERE: LocalFacts = {
  pending: is([]),
  hasAccounts: is(true),
  url: "http://localhost:8787",
  health: is(HEALTHY),
};
const HALF = [
  { version_id: "a", percentage: 90 },
  { version_id: "b", percentage: 10 },
];

const WITH_CUSTOMERS = { variables: { CF_ZONE_ID: "z" }, secrets: new Set([SECRET, "CF_API_TOKEN"]) };

type Row = [name: string, level: string, command: string | null, change: Partial<RemoteFacts>];

describe("a deployment", () => {
  it.each<[string, Partial<RemoteFacts>]>([
    ["on its own host", { variables: OWN_HOST }],
    ["on workers.dev", { hosts: is([]), plainHttp: is(null) }],
    ["without R2", { bucket: null }],
    ["with images on the bucket's domain", { images: is(IMAGES) }],
    ["with open sign-ups", { variables: { SIGNUPS: "open" } }],
    ["with sign-ups on the Premium plan", { variables: { SIGNUPS: "open", DEFAULT_PLAN: "premium" } }],
    [
      "with customers' domains",
      { variables: { CF_ZONE_ID: "z", CNAME_TARGET: "t.example.com" }, secrets: new Set([SECRET, "CF_API_TOKEN"]) },
    ],
  ])("that is healthy is ok: %s", async (_, change) => {
    const checks = await remoteChecks({ ...SOUND, ...change });
    expect(checks.filter(({ level, command }) => level !== "ok" || command !== null)).toEqual([]);
    expect(checks.length).toBeGreaterThan(12);
    expect(worstLevel(checks)).toBe("ok");
  });

  it.each<Row>([
    ["bindings", "failure", "npm run setup", { bindings: [D1] }],
    [
      "settings",
      "failure",
      `openssl rand -base64 32 | npx wrangler secret put ${SECRET} --name ${WORKER}`,
      { secrets: new Set() },
    ],
    ["settings", "failure", "npm run setup -- --var BASE_URL:VALUE", { variables: { BASE_URL: "go.example.com" } }],
    ["settings", "failure", "npm run setup -- --var ABUSE_CONTACT:VALUE", { variables: { ABUSE_CONTACT: "me" } }],
    ["settings", "failure", "npm run setup -- --var NOT_FOUND_URL:VALUE", { variables: { NOT_FOUND_URL: "/lost" } }],
    ["migrations", "failure", "npm run upgrade", { pending: is(LACKING) }],
    ["replication", "warning", "npm run setup", { replication: is("disabled") }],
    ["replication", "warning", "npm run setup -- --no-r2", { replication: is("disabled"), bucket: null }],
    ["visitors", "warning", "npm run setup", { salts: null }],
    [
      "cron jobs",
      "failure",
      "npm run setup -- --name two",
      { crons: is([]), name: "two", isNamed: true, hosts: is([]) },
    ],
    ["objects", "warning", "npm run upgrade", { migrationTag: "v1" }],
    ["objects", "warning", "npm run upgrade", { migrationTag: null }],
    ["objects", "warning", "git pull && npm ci", { migrationTag: "v3" }],
    ["version", "failure", "npm run setup", { deployment: is(null) }],
    [
      "version",
      "warning",
      "npm run upgrade -- --continue, or npm run rollback",
      { deployment: is({ id: "d", created_on: "", versions: HALF }) },
    ],
    ["rate limits", "warning", "npm run upgrade", { bindings: [D1, rateLimit("2")] }],
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
    ["customers' domains", "failure", null, { ...WITH_CUSTOMERS, fallbackOrigin: is(null) }],
    [
      "customers' domains",
      "warning",
      null,
      { ...WITH_CUSTOMERS, fallbackOrigin: is({ origin: "customers.example.com", status: "pending_deployment" }) },
    ],
    ["customers' domains", "warning", null, { ...WITH_CUSTOMERS, fallbackOrigin: FORBIDDEN }],
    [
      "images",
      "failure",
      "npx wrangler r2 bucket domain add hoplink-qr --domain cdn.example.com --zone-id ZONE_ID",
      { images: is({ ...IMAGES, status: 404 }) },
    ],
    ["images", "warning", null, { images: is({ ...IMAGES, missingHeaders: ["X-Content-Type-Options"] }) }],
    ["plain HTTP", "warning", null, { plainHttp: is({ url: "http://go.example.com/health", location: null }) }],
    ["programs", "warning", null, { pythonReply: is(reply(403, "error code: 1010")) }],
    ["programs", "warning", null, { pythonReply: is(reply(403, "<title>Just a moment...</title>")) }],
    ["sign-ups", "warning", "npm run setup -- --var SIGNUPS:VALUE", { variables: { SIGNUPS: "Open" } }],
    ["sign-ups", "warning", "npm run setup -- --var DEFAULT_PLAN:VALUE", { variables: { DEFAULT_PLAN: "Premium" } }],
    ["accounts", "warning", "npm run setup", { hasAccounts: is(false) }],
    [
      "health: objects",
      "failure",
      `npx wrangler tail ${WORKER}`,
      { health: is([...HEALTHY, { name: "objects", ok: false, message: "broken" }]) },
    ],
    [
      "health: passwords",
      "warning",
      null,
      {
        health: is([
          ...HEALTHY,
          { name: "passwords", ok: true, warning: true as const, message: "Protected links: 2" },
        ]),
      },
    ],
    ["health", "failure", `npx wrangler tail ${WORKER}`, { health: unreadable(new Error("answers 404")) }],
    ["cron jobs", "warning", null, { crons: FORBIDDEN }],
    ["hosts", "warning", null, { hosts: FORBIDDEN }],
    ["migrations", "failure", null, { pending: unreadable(new Error("The database could not be found")) }],
  ])("with wrong %s: %s, %s", async (name, level, command, change) => {
    const wrong = (await remoteChecks({ ...SOUND, ...change })).filter((check) => check.level !== "ok");
    expect(wrong).toEqual([{ name, level, command, message: expect.stringMatching(/./) }]);
  });

  it.each<[string, Partial<HostFact>, string]>([
    ["another Worker's", { service: "other" }, "failure"],
    ["without certificate", { hasCertificate: false }, "failure"],
    ["silent", { fault: "ENOTFOUND" }, "failure"],
    ["on a route", { service: null, hasCertificate: false }, "warning"],
  ])("names the command for a host that is %s", async (_, change, level) => {
    const hosts = is([{ ...HOST, ...change }]);
    const check = async (variables: Record<string, string>) =>
      (await remoteChecks({ ...SOUND, variables, hosts })).find(({ name }) => name === "host go.example.com");
    expect(await check(OWN_HOST)).toMatchObject({ level, command: "npm run setup -- --domain go.example.com" });
    expect((await check({ ...OWN_HOST, TEST_SHORT_DOMAIN: "t.example.com" }))?.command).toBe(
      "npm run setup -- --domain go.example.com --test-domain t.example.com",
    );
    expect((await check({ ...OWN_HOST, SHORT_DOMAIN: "s.example.com" }))?.command).toBeNull();
  });

  it("reports an error once, even if the health check names it as well", async () => {
    const parts = ["settings", "migrations"].map((name) => ({ name, ok: false, message: "wrong" }));
    const names = async (change: Partial<RemoteFacts>) =>
      (await remoteChecks({ ...SOUND, health: is(parts), ...change }))
        .filter(({ level }) => level === "failure")
        .map(({ name }) => name);
    expect(await names({ secrets: new Set(), pending: is(LACKING) })).toEqual(["settings", "migrations"]);
    expect(await names({})).toEqual(["health: settings", "health: migrations"]);
  });
});

describe("the development database", () => {
  it.each<[string, Partial<LocalFacts> | null, string, string | null]>([
    ["is healthy", {}, "ok", null],
    ["is missing", null, "failure", "npm run dev"],
    ["is not migrated", { pending: is(LACKING) }, "failure", "npm run dev"],
    ["has no account", { hasAccounts: is(false) }, "warning", "npm run admin -- account create --email E"],
    ["has no server", { health: null }, "warning", "npm run dev"],
  ])("%s", async (_, change, level, command) => {
    const checks = await localChecks(change && { ...SOUND_HERE, ...change });
    expect(worstLevel(checks)).toBe(level);
    expect(checks.find((check) => check.level !== "ok")?.command ?? null).toBe(command);
  });

  it("has a line for each check, in which no text of an answer controls the terminal", async () => {
    const health = is([{ name: "images", ok: false, message: "a\u001B[2J\nb" }]);
    const checks = await localChecks({ ...SOUND_HERE, health });
    expect(formatChecks(checks)).toBe(
      "✓ migrations: All are applied\n✓ accounts: At least one exists\n✗ health: images: a\\u{1b}[2J\\u{a}b\n    → npm run dev",
    );
  });
});
