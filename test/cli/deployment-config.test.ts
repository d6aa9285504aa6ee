/** How an installation's configuration is generated, and which hosts a deployment can have. */
import { expect, test } from "vitest";

import { deploymentConfig, installationNames, linkDatabaseName } from "../../src/cli/deployment/config.ts";
import { hostsOf, hostVariables, parseHost } from "../../src/cli/deployment/domains.ts";
import { setupCommand } from "../../src/cli/deployment/options.ts";

const COMMITTED = {
  name: "hoplink",
  main: "src/worker.ts",
  alias: { module: "src/smaller-module.ts" },
  assets: { directory: "dist", binding: "ASSETS" },
  d1_databases: [{ binding: "DB", database_name: "hoplink", migrations_dir: "migrations" }],
  r2_buckets: [{ binding: "QR_IMAGES", bucket_name: "hoplink-qr" }],
  kv_namespaces: [{ binding: "VISITOR_SALTS" }],
  ratelimits: [{ name: "RATE_FREE", namespace_id: "4001", simple: { limit: 120, period: 60 as const } }],
};

const INSTALLATION = {
  account: "9a7806061c88ada191ed06f989cc3dac",
  name: "hoplink",
  databases: [{ binding: "DB", name: "hoplink", id: "4f0c" }],
  bucket: "hoplink-qr",
  salts: "0f2ac74b498b48028cb68387c421e279",
  hasPaidPlan: false,
  variables: { SIGNUPS: "open" },
};

test("the configuration of an installation has its names, ids and variables, and paths from its own folder", () => {
  expect(deploymentConfig(COMMITTED, INSTALLATION)).toEqual({
    account_id: INSTALLATION.account,
    name: "hoplink",
    main: "../../src/worker.ts",
    alias: { module: "../../src/smaller-module.ts" },
    assets: { directory: "../../dist", binding: "ASSETS" },
    d1_databases: [
      { binding: "DB", database_name: "hoplink", database_id: "4f0c", migrations_dir: "../../migrations" },
    ],
    r2_buckets: COMMITTED.r2_buckets,
    kv_namespaces: [{ binding: "VISITOR_SALTS", id: INSTALLATION.salts }],
    ratelimits: COMMITTED.ratelimits,
    vars: { WORKERS_PLAN: "free", SIGNUPS: "open" },
  });
});

test("each database for links is bound, and uses the same migrations as all", () => {
  const links = { binding: "LINKS_1", name: linkDatabaseName("hoplink", "LINKS_1"), id: "77aa" };
  const databases = [...INSTALLATION.databases, links];
  expect(deploymentConfig(COMMITTED, { ...INSTALLATION, databases }).d1_databases).toEqual([
    { binding: "DB", database_name: "hoplink", database_id: "4f0c", migrations_dir: "../../migrations" },
    { binding: "LINKS_1", database_name: "hoplink-links-1", database_id: "77aa", migrations_dir: "../../migrations" },
  ]);
});

test("without R2 no bucket is bound; the paid plan is named, and keeps the platform's CPU limit", () => {
  const config = deploymentConfig(COMMITTED, { ...INSTALLATION, bucket: null, hasPaidPlan: true });
  expect(config).not.toHaveProperty("r2_buckets");
  expect(config.limits?.cpu_ms).toBeGreaterThanOrEqual(30_000);
  expect(config.vars).toMatchObject({ WORKERS_PLAN: "paid" });
});

test("a bucket is also bound if the committed configuration has none", () => {
  const { r2_buckets, ...committed } = COMMITTED;
  expect(deploymentConfig(committed, INSTALLATION).r2_buckets).toEqual(r2_buckets);
});

test("without a KV namespace none is bound, since wrangler would create it", () => {
  expect(deploymentConfig(COMMITTED, { ...INSTALLATION, salts: null })).not.toHaveProperty("kv_namespaces");
});

test("installations in one account differ in their rate limits", () => {
  const idOf = (name: string) => deploymentConfig(COMMITTED, { ...INSTALLATION, name }).ratelimits?.[0]?.namespace_id;
  const ids = ["hoplink", "staging", "second"].map(idOf);
  expect(ids[0]).toBe("4001");
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((id) => /^[1-9]\d{0,9}$/.test(id ?? "") && Number(id) < 2 ** 31)).toBe(true);
});

test("a second installation is named after its Worker", () => {
  expect(installationNames(COMMITTED, undefined)).toEqual({
    name: "hoplink",
    database: "hoplink",
    bucket: "hoplink-qr",
    salts: "hoplink-visitor-salts",
  });
  expect(installationNames(COMMITTED, "staging")).toEqual({
    name: "staging",
    database: "staging",
    bucket: "staging-qr",
    salts: "staging-visitor-salts",
  });
});

test("one host serves both modes unless test links have a separate one", () => {
  expect(hostVariables(hostsOf("go.example.com"), {})).toEqual({
    BASE_URL: "https://go.example.com",
    SHORT_DOMAIN: "go.example.com",
    TEST_SHORT_DOMAIN: "go.example.com",
    CDN_URL: "https://go.example.com/cdn",
  });
  const two = hostsOf("go.example.com", "try.example.com");
  expect(hostVariables(two, { CDN_URL: "https://cdn.example.com" })).toMatchObject({
    TEST_SHORT_DOMAIN: "try.example.com",
    CDN_URL: "https://cdn.example.com",
  });
  expect(hostsOf("go.example.com", "go.example.com")).toEqual(["go.example.com"]);
  expect(hostsOf(undefined)).toEqual([]);
  expect(() => hostsOf(undefined, "try.example.com")).toThrow("--domain");
});

test.each([
  "https://go.example.com",
  "go.example.com/",
  "localhost",
  "1.2.3.4",
  "a..b.com",
  "x.y.workers.dev",
  "-a.com",
])("%s is not a valid custom host", (host) => {
  expect(() => parseHost(host)).toThrow("It must be your own host");
});

test("variables are given by name and value", () => {
  const args = ["--var", "SIGNUPS:open", "--var", "ABUSE_CONTACT:https://a.example/"];
  expect(setupCommand().parse(args, { from: "user" }).opts()).toEqual({
    r2: true,
    var: { SIGNUPS: "open", ABUSE_CONTACT: "https://a.example/" },
  });
});
