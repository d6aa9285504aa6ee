/** Certificates of custom domains, with a local server in place of Cloudflare's custom hostnames API (decision 10). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { Domain } from "../../src/core/contract/domains.ts";
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { releaseDueHostnames } from "../../src/store/remote/custom-hostnames.ts";
import { FakeCustomHostnameApi, API_TOKEN, type InjectedFailure, ZONE_ID } from "../support/custom-hostname-api.ts";
import { DnsServer } from "../support/dns-server.ts";
import { pause } from "../support/eventually.ts";
import { type HarnessAccount, HarnessServer } from "../support/harness.ts";

const TARGET = "customers.hop.example";
const HOSTNAMES = `/client/v4/zones/${ZONE_ID}/custom_hostnames`;

let dns: DnsServer;
let api: FakeCustomHostnameApi;
let server: HarnessServer;
let names = 0;

beforeAll(async () => {
  [dns, api] = await Promise.all([DnsServer.start(), FakeCustomHostnameApi.start()]);
  server = await HarnessServer.start({
    DOH_URL: dns.url,
    CF_ZONE_ID: ZONE_ID,
    CF_API_TOKEN: API_TOKEN,
    CF_API_URL: api.url,
  });
});

afterAll(async () => {
  await server.stop();
  await dns.stop();
  api.stop();
});

beforeEach(() => {
  api.calls = [];
});

afterEach(() => {
  api.failures = {};
  api.dropsResponses = false;
  api.beforeServing = null;
  expect(server.log).not.toContain(API_TOKEN);
});

/** A domain whose DNS is right and that has not been checked. */
async function prepared(account: HarnessAccount): Promise<Domain> {
  const reply = await account.call("POST", "/v1/domains", { domain: `go.certified-${++names}.example` });
  const domain = Domain.parse(reply.body);
  setUp(domain);
  return domain;
}

function setUp({ domain, records }: Domain): void {
  dns.set(domain, "CNAME", TARGET);
  dns.set(`_hoplink-verify.${domain}`, "TXT", records[1]?.value ?? "");
}

/** Requests a domain as if ten seconds had passed. */
async function recheck(account: HarnessAccount, { id }: Domain): Promise<Domain> {
  const database = await server.database();
  await database.prepare("UPDATE domains SET check_started_at = check_started_at - 10000 WHERE id = ?1").bind(id).run();
  const reply = await account.call("GET", `/v1/domains/${id}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return Domain.parse(reply.body);
}

async function activeDomain(account: HarnessAccount): Promise<Domain> {
  const domain = await prepared(account);
  await recheck(account, domain);
  api.setStatus(domain.domain, "active", { status: "active" });
  const active = await recheck(account, domain);
  expect(active.status, JSON.stringify(active)).toBe("active");
  return active;
}

/** Hostnames still to be deleted at Cloudflare. */
async function releases({ domain }: Domain): Promise<{ tries: number; wait_ms: number }[]> {
  const database = await server.database();
  const { results } = await database
    .prepare("SELECT tries, due_at - ?2 AS wait_ms FROM hostname_releases WHERE domain = ?1")
    .bind(domain, Date.now())
    .all<{ tries: number; wait_ms: number }>();
  return results;
}

/** Retries once the wait is over. */
async function tryAgain({ domain }: Domain): Promise<void> {
  const database = await server.database();
  await database.prepare("UPDATE hostname_releases SET due_at = 0 WHERE domain = ?1").bind(domain).run();
  await server.runCron();
}

/** Status of the domain, and of its certificate with the reason. */
function certificateOf({ status, records }: Domain) {
  const certificate = records.find(({ type }) => type === "CERTIFICATE");
  return [status, certificate?.status, certificate?.reason];
}

async function idAt(domain: Domain): Promise<string | undefined> {
  return api.hostnameOf(domain.domain)?.id;
}

/** Holds up all calls. @returns a function that lets them through */
function closeGate(): () => void {
  let open = () => {};
  const opened = new Promise<void>((done) => (open = done));
  api.beforeServing = () => opened;
  return open;
}

describe("10 the certificate", () => {
  test("is listed as a record and ordered once DNS is right; the domain is active once the certificate is", async () => {
    const ann = await server.account();
    const made = await ann.call("POST", "/v1/domains", { domain: "go.ordered.example" });
    const domain = Domain.parse(made.body);
    expect(domain.records[2]).toEqual({
      type: "CERTIFICATE",
      name: "go.ordered.example",
      value: null,
      status: "pending",
      reason: "Not checked yet.",
    });
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "pending",
      "pending",
      "Requested as soon as the other records are correct.",
    ]);
    expect(api.calls).toEqual([]);

    setUp(domain);
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "pending",
      "pending",
      "Cloudflare is validating the name (pending).",
    ]);
    expect(api.calls).toEqual([`POST ${HOSTNAMES}`]);
    expect(api.hostnameOf(domain.domain)).toMatchObject({
      hostname: domain.domain,
      ssl: { method: "http", type: "dv" },
    });
    const order = { domain: domain.domain, url: "https://example.com/" };
    expect((await ann.call("POST", "/v1/links", order)).status).toBe(422);

    api.setStatus(domain.domain, "pending", { status: "pending_validation" }, [
      "custom hostname does not CNAME to this zone.",
    ]);
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "pending",
      "pending",
      "Cloudflare is validating the name (pending). Cloudflare says: custom hostname does not CNAME to this zone.",
    ]);
    api.setStatus(domain.domain, "active", {
      status: "pending_issuance",
      validation_errors: [{ message: "SERVFAIL looking up CAA for go.ordered.example" }],
    });
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "pending",
      "pending",
      "The certificate is being issued (pending_issuance). Cloudflare says: SERVFAIL looking up CAA for go.ordered.example",
    ]);
    api.setStatus(domain.domain, "active", { status: "active", validation_errors: [] });
    const active = await recheck(ann, domain);
    expect(active.records.map(({ status, reason }) => [status, reason])).toEqual(Array(3).fill(["active", null]));
    expect(active.status).toBe("active");
    expect((await ann.call("POST", "/v1/links", order)).status).toBe(201);
    expect(api.hostnames.size).toBe(1);
  });

  test("is not ordered for a name that another account has proven", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const anns = await prepared(ann);
    const bens = Domain.parse((await ben.call("POST", "/v1/domains", { domain: anns.domain })).body);
    await recheck(ann, anns);
    dns.set(`_hoplink-verify.${anns.domain}`, "TXT", anns.records[1]?.value ?? "", bens.records[1]?.value ?? "");
    api.calls = [];
    expect(certificateOf(await recheck(ben, bens))).toEqual([
      "pending",
      "pending",
      "Requested as soon as the other records are correct.",
    ]);
    expect(api.calls).toEqual([]);
  });

  test("is deleted with the domain, which succeeds even if Cloudflare fails; a leftover hostname is adopted", async () => {
    const ann = await server.account();
    const [gone, left] = [await activeDomain(ann), await activeDomain(ann)];
    expect((await ann.call("DELETE", `/v1/domains/${gone.id}`)).status).toBe(204);
    // It must be deleted before the response: afterwards it could belong to the next account that adds the name.
    expect(api.hostnameOf(gone.domain)).toBeUndefined();
    api.failures = { DELETE: { status: 500, code: 1500, message: "Internal Server Error" } };
    expect((await ann.call("DELETE", `/v1/domains/${left.id}`)).status).toBe(204);
    expect(api.calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(2);
    api.failures = {};
    const kept = await idAt(left);
    const again = Domain.parse((await ann.call("POST", "/v1/domains", { domain: left.domain })).body);
    setUp(again);
    expect((await recheck(ann, again)).status).toBe("active");
    expect(await idAt(again)).toBe(kept);
  });

  test.each<[string, InjectedFailure]>([
    ["fails", { status: 500, code: 1500, message: "Internal Server Error" }],
    ["refuses the token", { status: 403, code: 10000, message: "Authentication error" }],
  ])("that Cloudflare does not delete, since it %s, is deleted by a later retry", async (_, trouble) => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.failures = { DELETE: trouble };
    expect((await ann.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    const [first] = await releases(domain);
    expect(first).toMatchObject({ tries: 1 });
    // At least half a minute after the first failure, and longer after each further one.
    expect(first?.wait_ms).toBeGreaterThan(20_000);
    await tryAgain(domain);
    await expect.poll(() => releases(domain)).toMatchObject([{ tries: 2 }]);
    expect(api.hostnameOf(domain.domain)).toBeDefined();
    api.failures = {};
    await tryAgain(domain);
    await expect.poll(() => releases(domain)).toEqual([]);
    expect(api.hostnameOf(domain.domain)).toBeUndefined();
  });

  test("that was deleted although the response was lost, or that someone else deleted, counts as released", async () => {
    const ann = await server.account();
    const [lost, foreign] = [await activeDomain(ann), await activeDomain(ann)];
    api.dropsResponses = true;
    await ann.call("DELETE", `/v1/domains/${lost.id}`);
    expect(await releases(lost)).toMatchObject([{ tries: 1 }]);
    api.dropsResponses = false;
    api.hostnames.delete((await idAt(foreign)) ?? "");
    await ann.call("DELETE", `/v1/domains/${foreign.id}`);
    expect(await releases(foreign)).toEqual([]);
    await tryAgain(lost);
    await expect.poll(() => releases(lost)).toEqual([]);
  });

  test("that was left over and then adopted by the name's next holder is not deleted", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const anns = await activeDomain(ann);
    const kept = await idAt(anns);
    api.failures = { DELETE: { status: 500, code: 1500, message: "Internal Server Error" } };
    await ann.call("DELETE", `/v1/domains/${anns.id}`);
    const bens = Domain.parse((await ben.call("POST", "/v1/domains", { domain: anns.domain })).body);
    setUp(bens);
    expect((await recheck(ben, bens)).status).toBe("active");
    api.failures = {};
    await tryAgain(bens);
    await expect.poll(() => releases(bens)).toEqual([]);
    expect(await idAt(bens)).toBe(kept);
  });

  test("is kept when another account already holds the name with it", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const anns = await activeDomain(ann);
    const proof = `_hoplink-verify.${anns.domain}`;
    dns.remove(proof);
    const bens = Domain.parse((await ben.call("POST", "/v1/domains", { domain: anns.domain })).body);
    setUp(bens);
    const kept = await idAt(anns);
    expect((await recheck(ben, bens)).status).toBe("active");
    expect(await idAt(bens)).toBe(kept);
    // As if the domain had been handed over while Ann deleted hers.
    const database = await server.database();
    await database.prepare("UPDATE domains SET custom_hostname_id = ?2 WHERE id = ?1").bind(anns.id, kept).run();
    expect((await ann.call("DELETE", `/v1/domains/${anns.id}`)).status).toBe(204);
    expect(await idAt(bens)).toBe(kept);
    expect((await ben.call("DELETE", `/v1/domains/${bens.id}`)).status).toBe(204);
    expect(await idAt(bens)).toBeUndefined();
  });

  test("is deleted even if the domain is deleted while it is ordered", async () => {
    const ann = await server.account();
    const domain = await prepared(ann);
    const open = closeGate();
    const checking = ann.call("GET", `/v1/domains/${domain.id}`);
    await expect.poll(() => api.calls).toEqual([`POST ${HOSTNAMES}`]);
    expect((await ann.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    open();
    expect((await checking).status).toBe(404);
    expect(api.calls).toHaveLength(2);
    expect(api.hostnameOf(domain.domain)).toBeUndefined();
  });

  test("of a superseded check is not kept, and the response has Retry-After", async () => {
    const ann = await server.account();
    const domain = await prepared(ann);
    const open = closeGate();
    const checking = ann.call("GET", `/v1/domains/${domain.id}`);
    await expect.poll(() => api.calls).toEqual([`POST ${HOSTNAMES}`]);
    const database = await server.database();
    const later = "UPDATE domains SET check_started_at = check_started_at + 1 WHERE id = ?1";
    await database.prepare(later).bind(domain.id).run();
    open();
    const reply = await checking;
    expect(Number(reply.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect(Domain.parse(reply.body).checked_at).toBeNull();
  });

  test("is deleted with the account; the name is free for others immediately", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const [first, second] = [await activeDomain(ann), await activeDomain(ann)];
    await ann.call("PATCH", `/v1/domains/${first.id}`, { root_url: "https://ann.example/" });
    const settings = { CF_ZONE_ID: ZONE_ID, CF_API_TOKEN: API_TOKEN, CF_API_URL: api.url };
    const env = { DB: await server.database(), ...settings } as unknown as Env;
    const open = closeGate();
    await closeAccount(env, ann.id);
    const work = releaseDueHostnames(env, 10);
    expect((await server.visit(`http://${first.domain}/`)).status).toBe(404);
    const bens = Domain.parse((await ben.call("POST", "/v1/domains", { domain: second.domain })).body);
    expect(bens.status).toBe("pending");
    open();
    await work;
    expect([api.hostnameOf(first.domain), api.hostnameOf(second.domain)]).toEqual([undefined, undefined]);
    const left = await env.DB.prepare("SELECT id FROM domains WHERE account_id = ?1").bind(ann.id).all();
    expect(left.results).toEqual([]);
    setUp(bens);
    expect(certificateOf(await recheck(ben, bens))[1]).toBe("pending");
  });

  test("a hostname that merely contains the name is not mistaken for it", async () => {
    const ann = await server.account();
    const domain = await prepared(ann);
    for (const hostname of [`shop.${domain.domain}`, domain.domain]) {
      await fetch(`${api.url}/zones/${ZONE_ID}/custom_hostnames`, {
        method: "POST",
        headers: { Authorization: `Bearer ${API_TOKEN}` },
        body: JSON.stringify({ hostname }),
      });
    }
    api.setStatus(`shop.${domain.domain}`, "active", { status: "active" });
    expect((await recheck(ann, domain)).status).toBe("pending");
    api.setStatus(domain.domain, "active", { status: "active" });
    expect((await recheck(ann, domain)).status).toBe("active");
    expect(api.calls.at(-1)).toBe(`GET ${HOSTNAMES}/${await idAt(domain)}`);
  });

  test("is found and not ordered twice if the response to its creation was lost", async () => {
    const ann = await server.account();
    const domain = await prepared(ann);
    api.dropsResponses = true;
    expect(certificateOf(await recheck(ann, domain)).slice(0, 2)).toEqual(["pending", "unknown"]);
    api.dropsResponses = false;
    api.calls = [];
    expect(certificateOf(await recheck(ann, domain))[1]).toBe("pending");
    expect(api.calls).toEqual([`POST ${HOSTNAMES}`, `GET ${HOSTNAMES}?hostname=${domain.domain}`]);
    expect([...api.hostnames.values()].filter(({ hostname }) => hostname === domain.domain)).toHaveLength(1);
  });
});

describe("10 states that take a domain out of service", () => {
  test.each([
    ["blocked", "active", "Cloudflare blocks this name. Its owner must ask Cloudflare for the reason."],
    ["pending_blocked", "active", "Cloudflare blocks this name. Its owner must ask Cloudflare for the reason."],
    ["active", "expired", "The certificate is not in service (expired)."],
    ["active", "inactive", "The certificate is not in service (inactive)."],
  ])("%s with a certificate that is %s", async (status, ssl, reason) => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.setStatus(domain.domain, status, { status: ssl });
    expect(certificateOf(await recheck(ann, domain))).toEqual(["misconfigured", "failed", reason]);
    api.setStatus(domain.domain, "active_redeploying", { status: "active" });
    expect((await recheck(ann, domain)).status).toBe("active");
  });

  test.each([
    ["moved", "active", "Cloudflare no longer serves the name (moved). Validation has been started again."],
    ["deleted", "active", "Cloudflare no longer serves the name (deleted). Validation has been started again."],
    [
      "active",
      "validation_timed_out",
      "The certificate was not issued (validation_timed_out). Validation has been started again.",
    ],
  ])("%s with a certificate that is %s: validation restarts", async (status, ssl, reason) => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.setStatus(domain.domain, status, { status: ssl });
    api.calls = [];
    expect(certificateOf(await recheck(ann, domain))).toEqual(["misconfigured", "failed", reason]);
    const path = `${HOSTNAMES}/${await idAt(domain)}`;
    expect(api.calls).toEqual([`GET ${path}`, `PATCH ${path}`]);
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "misconfigured",
      "pending",
      "Cloudflare is validating the name (pending).",
    ]);
    api.setStatus(domain.domain, "active", { status: "active" });
    expect((await recheck(ann, domain)).status).toBe("active");
  });

  test("a failed order to validate again is reported as such", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.setStatus(domain.domain, "moved", { status: "active" });
    api.failures = { PATCH: { status: 409, code: 1439, message: "Modifying the custom hostname is not supported." } };
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "misconfigured",
      "failed",
      "Cloudflare no longer serves the name (moved). Cloudflare has not confirmed the request to validate it again. The next check repeats the request.",
    ]);
  });

  test("all calls of a check share four seconds, so that the next check does not supersede it", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.setStatus(domain.domain, "moved", { status: "active" });
    // Two calls of this length exceed the four seconds, which the server measures with its own clock.
    api.beforeServing = () => pause(2_200);
    expect(certificateOf(await recheck(ann, domain))[2]).toContain("Cloudflare has not confirmed the request");
    expect(api.calls.map((call) => call.split(" ")[0]).slice(-2)).toEqual(["GET", "PATCH"]);
  });

  test("moved while DNS leads elsewhere: validation starts once DNS leads here", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    dns.set(domain.domain, "CNAME", "elsewhere.example");
    api.setStatus(domain.domain, "moved", { status: "active" });
    api.calls = [];
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "misconfigured",
      "failed",
      "Cloudflare no longer serves the name (moved). It is validated again as soon as the other records are correct.",
    ]);
    expect(api.calls.map((call) => call.split(" ")[0])).toEqual(["GET"]);
  });

  test("a hostname that no longer exists is ordered again", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.hostnames.clear();
    expect(certificateOf(await recheck(ann, domain))[1]).toBe("pending");
    expect(await idAt(domain)).toBeDefined();
  });

  test("a certificate that is being renewed does not take the domain out of service", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    api.setStatus(domain.domain, "active", { status: "pending_deployment" });
    expect(certificateOf(await recheck(ann, domain))).toEqual([
      "active",
      "pending",
      "The certificate is being issued (pending_deployment).",
    ]);
  });
});

describe("10 when Cloudflare's API is unavailable", () => {
  const TROUBLES: [string, InjectedFailure, string, string][] = [
    [
      "429",
      { status: 429, code: 971, message: "Please wait and consider throttling your request speed" },
      "unknown",
      "Cloudflare limits the rate of requests (429). It will be retried.",
    ],
    [
      "500",
      { status: 500, code: 1500, message: "Internal Server Error" },
      "unknown",
      "Cloudflare returned an error (500). It will be retried.",
    ],
    [
      "a token that is refused",
      { status: 403, code: 10000, message: "Authentication error" },
      "unknown",
      "Cloudflare refuses this service's token. Its operator must renew it.",
    ],
    [
      "a token that is malformed",
      { status: 400, code: 6003, message: "Invalid request headers" },
      "unknown",
      "Cloudflare refuses this service's requests. Its operator must fix this.",
    ],
    [
      "a zone that is not there",
      {
        status: 404,
        code: 7003,
        message: "Could not route to /zones/x/custom_hostnames, perhaps your object identifier is invalid?",
      },
      "unknown",
      "Cloudflare refuses this service's requests. Its operator must fix this.",
    ],
    ["no answer", "silent", "unknown", "Cloudflare could not be reached, because it did not respond within 4 s."],
  ];

  test.each(TROUBLES)(
    "%s: the request succeeds, the reason is reported, and an active domain stays active",
    async (_, trouble, status, reason) => {
      const ann = await server.account();
      const [active, fresh] = [await activeDomain(ann), await prepared(ann)];
      api.failures = { GET: trouble, POST: trouble };
      const [still, waiting] = await Promise.all([recheck(ann, active), recheck(ann, fresh)]);
      expect(certificateOf(still)).toEqual(["active", status, reason]);
      expect(certificateOf(waiting)).toEqual(["pending", status, reason]);
      expect(waiting.records.slice(0, 2).map((record) => record.status)).toEqual(["active", "active"]);
      api.failures = {};
      expect(certificateOf(await recheck(ann, fresh))[1]).toBe("pending");
    },
  );

  test.each([
    [
      "no quota",
      { status: 403, code: 1404, message: "No quota has been allocated for this zone." },
      "This service has used all of its custom hostnames. Its operator must raise the quota.",
    ],
    [
      "quota used up",
      { status: 403, code: 1405, message: "Quota exceeded." },
      "This service has used all of its custom hostnames. Its operator must raise the quota.",
    ],
    [
      "a name that is refused",
      { status: 400, code: 1409, message: "Reserved top domain custom hostnames are not supported." },
      "Cloudflare refuses this name (1409): Reserved top domain custom hostnames are not supported.",
    ],
  ])("%s: the reason is reported, and the domain waits", async (_, trouble, reason) => {
    const ann = await server.account();
    const domain = await prepared(ann);
    api.failures = { POST: trouble };
    expect(certificateOf(await recheck(ann, domain))).toEqual(["pending", "failed", reason]);
    api.failures = {};
    expect(certificateOf(await recheck(ann, domain))[1]).toBe("pending");
  });
});
