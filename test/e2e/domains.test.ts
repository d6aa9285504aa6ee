/**
 * Custom domains through the whole server, with a real DNS server behind DNS over HTTPS (spec 1.8, 2.1; decision 10).
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { Domain } from "../../src/core/contract/domains.ts";
import { errorOf } from "../support/api-response.ts";
import { DnsServer } from "../support/dns-server.ts";
import { type HarnessAccount, API_URL, HarnessServer } from "../support/harness.ts";
import { domainInUse, domainTaken, validationFailed } from "../support/expected-errors.ts";

const TARGET = "customers.hop.example";
const ADDRESS = "192.0.2.10";
const ADDRESS_6 = "2001:db8::10";
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let dns: DnsServer;
let server: HarnessServer;
let names = 0;

beforeAll(async () => {
  dns = await DnsServer.start();
  server = await HarnessServer.start({ DOH_URL: dns.url });
  dns.set(TARGET, "A", ADDRESS);
  dns.set(TARGET, "AAAA", ADDRESS_6);
});

afterAll(async () => {
  await server.stop();
  await dns.stop();
});

afterEach(() => {
  dns.fault = null;
  dns.followsCnames = true;
});

/** A name that no other test uses. */
function freshName(): string {
  return `go.brand-${++names}.example`;
}

async function add(account: HarnessAccount, domain = freshName()): Promise<Domain> {
  const reply = await account.call("POST", "/v1/domains", { domain });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return Domain.parse(reply.body);
}

/** Requests a domain as if ten seconds had passed. */
async function recheck(account: HarnessAccount, { id }: Domain): Promise<Domain> {
  const database = await server.database();
  await database.prepare("UPDATE domains SET check_started_at = check_started_at - 10000 WHERE id = ?1").bind(id).run();
  const reply = await account.call("GET", `/v1/domains/${id}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  expect(reply.headers.get("Retry-After")).toBeNull();
  return Domain.parse(reply.body);
}

function recordOf(domain: Domain, type: "CNAME" | "TXT") {
  const record = domain.records.find((each) => each.type === type);
  if (!record?.value) throw new Error(`no ${type} record`);
  return { ...record, value: record.value };
}

/** Sets the records as the account holder does at the DNS provider. */
function setUp(domain: Domain): void {
  const [cname, txt] = [recordOf(domain, "CNAME"), recordOf(domain, "TXT")];
  dns.set(cname.name, "CNAME", cname.value);
  dns.set(txt.name, "TXT", txt.value);
}

async function activeDomain(account: HarnessAccount, name?: string): Promise<Domain> {
  const domain = await add(account, name);
  setUp(domain);
  const checked = await recheck(account, domain);
  expect(checked.status, JSON.stringify(checked)).toBe("active");
  return checked;
}

function link(account: HarnessAccount, fields: Record<string, unknown>) {
  return account.call("POST", "/v1/links", { url: "https://example.com/", ...fields });
}

describe("10 the states of a domain", () => {
  test("pending, active, misconfigured, active again; links are created while it is active and always redirect", async () => {
    const ann = await server.account();
    const domain = await add(ann, "go.states.example");
    expect(domain).toEqual({
      id: expect.stringMatching(/^dom_[0-9a-z]{26}$/),
      domain: "go.states.example",
      status: "pending",
      records: [
        { type: "CNAME", name: "go.states.example", value: TARGET, status: "pending", reason: "Not checked yet." },
        {
          type: "TXT",
          name: "_hoplink-verify.go.states.example",
          value: expect.stringMatching(/^[0-9a-z]{32}$/),
          status: "pending",
          reason: "Not checked yet.",
        },
      ],
      root_url: null,
      not_found_url: null,
      expired_url: null,
      checked_at: null,
      created_at: expect.stringMatching(TIMESTAMP),
    });
    const fields = { domain: domain.domain, slug: "a", url: "https://example.com/a" };
    const notActive = (status: string) =>
      validationFailed(["domain", "not_active", `must be active to accept new links, but is ${status}`]);
    expect(errorOf(await link(ann, fields), API_URL)).toEqual(notActive("pending"));

    const absent = await recheck(ann, domain);
    expect(absent).toEqual({
      ...domain,
      records: [
        { ...domain.records[0], status: "missing", reason: "go.states.example does not exist in DNS (NXDOMAIN)." },
        {
          ...domain.records[1],
          status: "missing",
          reason: "_hoplink-verify.go.states.example does not exist in DNS (NXDOMAIN).",
        },
      ],
      checked_at: expect.stringMatching(TIMESTAMP),
    });

    const txt = recordOf(domain, "TXT");
    dns.set(txt.name, "TXT", txt.value);
    const half = await recheck(ann, domain);
    expect([half.status, recordOf(half, "CNAME").status, recordOf(half, "TXT").status]).toEqual([
      "pending",
      "missing",
      "active",
    ]);
    expect(errorOf(await link(ann, fields), API_URL)).toEqual(notActive("pending"));

    setUp(domain);
    const active = await recheck(ann, domain);
    expect(active).toEqual({
      ...domain,
      status: "active",
      records: domain.records.map((record) => ({ ...record, status: "active", reason: null })),
      checked_at: expect.stringMatching(TIMESTAMP),
    });
    expect((await link(ann, fields)).body).toMatchObject({
      domain: "go.states.example",
      short_url: "http://go.states.example/a",
    });
    expect(await server.visit("http://go.states.example/a")).toEqual({ status: 302, location: fields.url });

    dns.set("go.states.example", "CNAME", "elsewhere.example");
    const misconfigured = await recheck(ann, domain);
    expect(misconfigured.status).toBe("misconfigured");
    expect(recordOf(misconfigured, "CNAME")).toMatchObject({
      status: "failed",
      reason: `go.states.example leads to elsewhere.example, not to ${TARGET}.`,
    });
    expect(errorOf(await link(ann, { ...fields, slug: "b" }), API_URL)).toEqual(notActive("misconfigured"));
    expect(await server.visit("http://go.states.example/a")).toEqual({ status: 302, location: fields.url });

    setUp(domain);
    expect((await recheck(ann, domain)).status).toBe("active");
    expect((await link(ann, { ...fields, slug: "b" })).status).toBe(201);
  });

  test("each record alone takes an active domain out of service", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    dns.remove(recordOf(domain, "TXT").name);
    expect((await recheck(ann, domain)).status).toBe("misconfigured");
    setUp(domain);
    expect((await recheck(ann, domain)).status).toBe("active");
    dns.remove(domain.domain);
    expect((await recheck(ann, domain)).status).toBe("misconfigured");
  });

  test.each(["silent", "stalled", "down", "garbled"] as const)(
    "a resolver that is %s changes nothing, and the reason is reported",
    async (disorder) => {
      const ann = await server.account();
      const [active, pending] = [await activeDomain(ann), await add(ann)];
      setUp(pending);
      dns.fault = disorder;
      const why = {
        silent: "the resolver did not respond in time",
        stalled: "the resolver did not respond in time",
        down: "the resolver returned 502",
        garbled: "the resolver could not be reached or returned an invalid response",
      }[disorder];
      const [still, waiting] = await Promise.all([recheck(ann, active), recheck(ann, pending)]);
      expect([still.status, waiting.status]).toEqual(["active", "pending"]);
      for (const { records } of [still, waiting]) {
        for (const { name, status, reason } of records) {
          expect([status, reason]).toEqual([
            "unknown",
            `${name} could not be looked up, because ${why}. It will be retried.`,
          ]);
        }
      }
      dns.fault = null;
      expect((await recheck(ann, pending)).status).toBe("active");
    },
  );

  test("name servers that fail change nothing, and are reported", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    const txt = recordOf(domain, "TXT");
    dns.fail(domain.domain, "SERVFAIL");
    dns.fail(txt.name, "REFUSED");
    const checked = await recheck(ann, domain);
    expect(checked.status).toBe("active");
    expect(checked.records.map(({ status, reason }) => [status, reason])).toEqual([
      [
        "unknown",
        `${domain.domain} could not be looked up, because its name servers fail (SERVFAIL). It will be retried.`,
      ],
      ["unknown", `${txt.name} could not be looked up, because its name servers fail (REFUSED). It will be retried.`],
    ]);
    dns.fail(domain.domain, null);
    dns.fail(txt.name, null);
  });
});

test("10 a chain that cannot be followed to its end changes nothing", async () => {
  const ann = await server.account();
  const domain = await activeDomain(ann);
  const between = `between.${domain.domain}`;
  dns.set(domain.domain, "CNAME", between);
  dns.fail(between, "SERVFAIL");
  const checked = await recheck(ann, domain);
  expect(checked.status).toBe("active");
  expect(recordOf(checked, "CNAME")).toMatchObject({
    status: "unknown",
    reason: `${between} could not be looked up, because its name servers fail (SERVFAIL). It will be retried.`,
  });
  dns.fail(between, null);
  expect((await recheck(ann, domain)).status).toBe("misconfigured");
});

describe("1.8 polling", () => {
  test("queries DNS if the last check is older than 10 s; otherwise returns the stored findings with Retry-After", async () => {
    const ann = await server.account();
    const domain = await add(ann);
    const asked = () => dns.queries.filter((question) => question.includes(domain.domain)).length;
    const first = await ann.call("GET", `/v1/domains/${domain.id}`);
    expect(first.headers.get("Retry-After")).toBeNull();
    const before = asked();
    expect(before).toBeGreaterThan(0);

    setUp(domain);
    const second = await ann.call("GET", `/v1/domains/${domain.id}`);
    expect(second.body).toEqual(first.body);
    expect(Number(second.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect(Number(second.headers.get("Retry-After"))).toBeLessThanOrEqual(10);
    expect(asked()).toBe(before);
    expect((await recheck(ann, domain)).status).toBe("active");
  });

  test("one of ten simultaneous requests queries DNS", async () => {
    const ann = await server.account();
    const domain = await add(ann);
    const replies = await Promise.all(Array.from({ length: 10 }, () => ann.call("GET", `/v1/domains/${domain.id}`)));
    expect(replies.filter(({ headers }) => headers.get("Retry-After") === null)).toHaveLength(1);
    const proofs = dns.queries.filter((question) => question === `_hoplink-verify.${domain.domain} TXT`);
    expect(proofs).toHaveLength(1);
  });

  test("a list is not checked", async () => {
    const ann = await server.account();
    const domain = await add(ann);
    setUp(domain);
    expect((await ann.call("GET", "/v1/domains")).body).toEqual({ data: [domain], has_more: false, next_cursor: null });
  });
});

describe("10 possible DNS answers", () => {
  async function reasonFor(type: "CNAME" | "TXT", prepare: (domain: Domain) => void) {
    const ann = await server.account();
    const domain = await add(ann);
    setUp(domain);
    prepare(domain);
    const checked = await recheck(ann, domain);
    const { status, reason } = recordOf(checked, type);
    const told = reason?.replaceAll(domain.domain, "NAME").replaceAll(recordOf(domain, "TXT").value, "TOKEN") ?? null;
    return [checked.status, status, told];
  }

  const TXT = "_hoplink-verify.NAME";

  test.each<[string, (token: string) => (string | string[])[], unknown[]]>([
    ["split into strings", (token) => [[token.slice(0, 10), token.slice(10)]], ["active", "active", null]],
    ["among others", (token) => ["v=spf1 -all", token, "other"], ["active", "active", null]],
    [
      "in quotation marks",
      (token) => [`"${token}"`],
      ["active", "active", `${TXT} has the value within quotation marks or spaces, which is accepted.`],
    ],
    [
      "in several pairs of them",
      (token) => [`"${token.slice(0, 9)}" "${token.slice(9)}"`],
      ["active", "active", `${TXT} has the value within quotation marks or spaces, which is accepted.`],
    ],
    [
      "in capitals",
      (token) => [token.toUpperCase()],
      ["pending", "failed", `${TXT} has the value in different upper and lower case. It must match exactly.`],
    ],
    [
      "within other text",
      (token) => [`hoplink=${token}`],
      ["pending", "failed", `${TXT} has the value with other text around it. The record must contain only the value.`],
    ],
    ["another", () => ["wrong\n"], ["pending", "failed", String.raw`${TXT} has another value: "wrong\n".`]],
    [
      "none of several",
      () => ["one", "two"],
      ["pending", "failed", `${TXT} has 2 TXT records, none with the value: "one", "two".`],
    ],
    [
      "a very long one",
      () => [["x".repeat(255), "x".repeat(255)]],
      ["pending", "failed", `${TXT} has another value: "${"x".repeat(80)}…".`],
    ],
    ["none", () => [], ["pending", "missing", `${TXT} exists but has no TXT record.`]],
  ])("TXT: the value is %s", async (_, values, expected) => {
    const found = await reasonFor("TXT", (domain) => {
      const txt = recordOf(domain, "TXT");
      dns.set(txt.name, "TXT", ...values(txt.value));
    });
    expect(found).toEqual(expected);
  });

  test("TXT: found through a CNAME", async () => {
    const found = await reasonFor("TXT", (domain) => {
      const txt = recordOf(domain, "TXT");
      dns.remove(txt.name);
      dns.set(txt.name, "CNAME", `proof.${domain.domain}`);
      dns.set(`proof.${domain.domain}`, "TXT", txt.value);
    });
    expect(found).toEqual(["active", "active", null]);
  });

  test.each([true, false])(
    "CNAME: a chain leads here, whether the resolver returns it whole (%s) or not",
    async (whole) => {
      dns.followsCnames = whole;
      const found = await reasonFor("CNAME", ({ domain }) => {
        dns.set(domain, "CNAME", `one.${domain}`);
        dns.set(`one.${domain}`, "CNAME", `two.${domain}`);
        dns.set(`two.${domain}`, "CNAME", TARGET);
      });
      expect(found).toEqual(["active", "active", "NAME leads here through one.NAME, two.NAME."]);
    },
  );

  test.each<[string, (name: string) => void, unknown[]]>([
    ["in capitals", (name) => dns.set(name, "CNAME", TARGET.toUpperCase()), ["active", "active", null]],
    [
      "to a chain that leads elsewhere",
      (name) => {
        dns.set(name, "CNAME", `one.${name}`);
        dns.set(`one.${name}`, "CNAME", "shop.example");
      },
      ["pending", "failed", `NAME leads to one.NAME, shop.example, not to ${TARGET}.`],
    ],
    [
      "in a circle",
      (name) => {
        dns.set(name, "CNAME", `one.${name}`);
        dns.set(`one.${name}`, "CNAME", name);
      },
      ["pending", "failed", "The CNAME records of NAME form a loop: NAME → one.NAME → NAME."],
    ],
    [
      "is not there, and nothing else",
      (name) => dns.remove(name, "CNAME"),
      ["pending", "missing", "NAME exists but has no CNAME record and no address."],
    ],
    [
      "is missing, but NAME has our address",
      (name) => {
        dns.remove(name, "CNAME");
        dns.set(name, "A", ADDRESS);
        dns.set(name, "AAAA", "2001:DB8:0:0::10");
      },
      ["active", "active", `NAME has no CNAME, but the addresses of ${TARGET}.`],
    ],
    [
      "is missing, and NAME has a foreign address besides ours",
      (name) => {
        dns.remove(name, "CNAME");
        dns.set(name, "A", ADDRESS, "203.0.113.9");
      },
      [
        "pending",
        "failed",
        `NAME has no CNAME, and addresses that do not belong to this service: 203.0.113.9. Set a CNAME to ${TARGET}, and switch off any proxy in front of it.`,
      ],
    ],
  ])("CNAME: %s", async (_, prepare, expected) => {
    expect(await reasonFor("CNAME", ({ domain }) => prepare(domain))).toEqual(expected);
  });

  test("an apex, which cannot have a CNAME, becomes active by flattening; otherwise the reason says so", async () => {
    const ann = await server.account();
    const domain = await add(ann, "apex-brand.example");
    const txt = recordOf(domain, "TXT");
    dns.set(txt.name, "TXT", txt.value);
    dns.set(domain.domain, "A", "203.0.113.9");
    expect(recordOf(await recheck(ann, domain), "CNAME").reason).toBe(
      `apex-brand.example has no CNAME, and addresses that do not belong to this service: 203.0.113.9. An apex name cannot have a CNAME: use an ALIAS, an ANAME or CNAME flattening to ${TARGET}.`,
    );
    dns.set(domain.domain, "A");
    expect(recordOf(await recheck(ann, domain), "CNAME").reason).toBe(
      `apex-brand.example exists but has no CNAME record and no address. An apex name cannot have a CNAME: use an ALIAS, an ANAME or CNAME flattening to ${TARGET}, or a sub-domain.`,
    );
    dns.set(domain.domain, "A", ADDRESS);
    expect((await recheck(ann, domain)).status).toBe("active");
  });
});

describe("10 one name, several accounts", () => {
  const ELSEWHERE =
    "The value is correct, but the domain is verified by another account or in the other mode, whose TXT record still exists.";

  test("it is pending for both, and exclusive for the one that proves it", async () => {
    const [ann, ben, cem] = [await server.account(), await server.account(), await server.account()];
    const name = freshName();
    const [anns, bens] = [await add(ann, name), await add(ben, name)];
    expect(recordOf(anns, "TXT").value).not.toBe(recordOf(bens, "TXT").value);
    dns.set(recordOf(bens, "TXT").name, "TXT", recordOf(bens, "TXT").value);
    expect((await recheck(ann, anns)).status).toBe("pending");
    expect((await recheck(ben, bens)).status).toBe("pending");
    // Only the proof decides who owns the name.
    expect(errorOf(await cem.call("POST", "/v1/domains", { domain: name }), API_URL)).toMatchObject({
      code: "domain_taken",
    });
    dns.set(name, "CNAME", TARGET);
    expect((await recheck(ben, bens)).status).toBe("active");

    expect(errorOf(await cem.call("POST", "/v1/domains", { domain: name }), API_URL)).toEqual(
      domainTaken(name, "is verified by another account or in the other mode"),
    );
    dns.set(recordOf(anns, "TXT").name, "TXT", recordOf(anns, "TXT").value, recordOf(bens, "TXT").value);
    const refused = await recheck(ann, anns);
    expect(refused.status).toBe("pending");
    expect(recordOf(refused, "TXT")).toMatchObject({ status: "failed", reason: ELSEWHERE });
    expect(errorOf(await link(ann, { domain: name }), API_URL)).toMatchObject({
      code: "validation_failed",
      param: "domain",
    });

    // Misconfigured, it is still Ben's.
    dns.set(name, "CNAME", "elsewhere.example");
    expect((await recheck(ben, bens)).status).toBe("misconfigured");
    expect(errorOf(await cem.call("POST", "/v1/domains", { domain: name }), API_URL)).toMatchObject({
      code: "domain_taken",
    });
    dns.set(name, "CNAME", TARGET);
    expect((await recheck(ann, anns)).status).toBe("pending");

    // Once Ben deletes it, Ann's proof counts.
    expect((await ben.call("DELETE", `/v1/domains/${bens.id}`)).status).toBe(204);
    expect((await recheck(ann, anns)).status).toBe("active");
  });

  test("a name that has changed hands goes to the account that proves it, once the former holder's proof is gone", async () => {
    const [ann, ben, cem] = [await server.account(), await server.account(), await server.account()];
    const anns = await activeDomain(ann);
    const name = anns.domain;
    const proof = recordOf(anns, "TXT").name;
    await ann.call("PATCH", `/v1/domains/${anns.id}`, { root_url: "https://ann.example/" });
    await link(ann, { domain: name, slug: "printed", url: "https://example.com/printed" });

    // A proof that cannot be looked up remains valid.
    dns.fail(proof, "SERVFAIL");
    expect(errorOf(await ben.call("POST", "/v1/domains", { domain: name }), API_URL)).toEqual(
      domainTaken(name, "is verified by another account or in the other mode"),
    );
    dns.fail(proof, null);
    dns.remove(proof);
    const [bens, cems] = [await add(ben, name), await add(cem, name)];
    expect((await recheck(ben, bens)).status).toBe("pending");
    // No other account has proven it: it is still Ann's.
    expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({ data: [{ status: "active" }] });
    setUp(anns);
    dns.set(proof, "TXT", recordOf(anns, "TXT").value, recordOf(bens, "TXT").value);
    expect(recordOf(await recheck(ben, bens), "TXT")).toMatchObject({ status: "failed", reason: ELSEWHERE });

    dns.set(proof, "TXT", recordOf(bens, "TXT").value, recordOf(cems, "TXT").value);
    const rivals = await Promise.all([recheck(ben, bens), recheck(cem, cems)]);
    expect(rivals.map(({ status }) => status).sort()).toEqual(["active", "pending"]);
    const [winner, domain] = rivals[0]?.status === "active" ? ([ben, bens] as const) : ([cem, cems] as const);
    expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({ data: [{ status: "misconfigured" }] });
    // What the former holder knew of the name is void immediately.
    const lost = Domain.parse((await ann.call("GET", `/v1/domains/${anns.id}`)).body);
    expect([lost.status, recordOf(lost, "TXT").status]).toEqual(["misconfigured", "failed"]);
    expect((await link(ann, { domain: name })).status).toBe(422);
    // Its links have ended, and their addresses are free.
    expect((await server.visit(`http://${name}/printed`)).status).toBe(410);
    expect((await server.visit(`http://${name}/`)).status).toBe(404);
    expect((await link(winner, { domain: name, slug: "printed", url: "https://example.com/won" })).status).toBe(201);
    // The 410 was cached.
    await expect
      .poll(async () => (await server.visit(`http://${name}/printed`)).location)
      .toBe("https://example.com/won");

    // The former holder's proof is back, but next to a valid one.
    dns.set(proof, "TXT", recordOf(anns, "TXT").value, recordOf(domain, "TXT").value);
    expect(recordOf(await recheck(ann, anns), "TXT")).toMatchObject({ status: "failed", reason: ELSEWHERE });
    setUp(anns);
    expect((await recheck(ann, anns)).status).toBe("active");
    expect((await recheck(winner, domain)).status).toBe("misconfigured");
  });

  test("one of several accounts that prove it simultaneously gets it", async () => {
    const name = freshName();
    const accounts = await Promise.all(Array.from({ length: 6 }, () => server.account()));
    const rivals = await Promise.all(accounts.map(async (account) => ({ account, domain: await add(account, name) })));
    dns.set(name, "CNAME", TARGET);
    dns.set(`_hoplink-verify.${name}`, "TXT", ...rivals.map(({ domain }) => recordOf(domain, "TXT").value));
    const checked = await Promise.all(rivals.map(({ account, domain }) => recheck(account, domain)));
    expect(checked.map(({ status }) => status).sort()).toEqual(["active", ...Array(5).fill("pending")]);
    const losers = checked.filter(({ status }) => status === "pending");
    for (const loser of losers) expect(recordOf(loser, "TXT").reason).toBe(ELSEWHERE);
  });

  test("the same account in the other mode counts as another account", async () => {
    const ann = await server.account();
    const trial = await ann.withKey("test");
    const name = freshName();
    const [live, test] = [await add(ann, name), await add(trial, name)];
    setUp(test);
    expect((await recheck(trial, test)).status).toBe("active");
    expect((await trial.call("GET", `/v1/domains/${live.id}`)).status).toBe(404);
    expect((await ann.call("GET", `/v1/domains/${test.id}`)).status).toBe(404);
    expect((await link(trial, { domain: name, slug: "l" })).body).toMatchObject({ short_url: `http://${name}/l` });
    expect((await link(ann, { domain: name, slug: "l" })).status).toBe(422);

    // The live key takes the name from it, but the test key does not take it back.
    setUp(live);
    expect((await recheck(ann, live)).status).toBe("active");
    expect((await link(ann, { domain: name, slug: "printed", url: "https://example.com/p" })).status).toBe(201);
    setUp(test);
    expect(recordOf(await recheck(trial, test), "TXT")).toMatchObject({ status: "failed", reason: ELSEWHERE });
    expect(errorOf(await trial.call("POST", "/v1/domains", { domain: name }), API_URL)).toMatchObject({ status: 409 });
    expect(await server.visit(`http://${name}/printed`)).toEqual({ status: 302, location: "https://example.com/p" });
  });
});

describe("2.1 links on a custom domain", () => {
  test("redirect by that Host alone; one slug exists on several domains independently", async () => {
    const ann = await server.account();
    const [one, two] = [await activeDomain(ann), await activeDomain(ann)];
    const hosts = [one.domain, two.domain, "hop.example"];
    for (const [i, domain] of [one.domain, two.domain, undefined].entries()) {
      const fields = { slug: "Same", url: `https://example.com/${i}`, ...(domain ? { domain } : {}) };
      expect((await link(ann, fields)).status).toBe(201);
    }
    for (const [i, host] of hosts.entries()) {
      expect(await server.visit(`http://${host}/same`)).toEqual({ status: 302, location: `https://example.com/${i}` });
      expect(await server.visit(`http://${host.toUpperCase()}.:8080/SAME`)).toMatchObject({ status: 302 });
    }
    for (const host of ["t.hop.example", "api.hop.example", "other.example", `sub.${one.domain}`]) {
      expect((await server.visit(`http://${host}/same`)).status, host).toBe(404);
    }
    await link(ann, { slug: "only", domain: one.domain });
    expect((await server.visit(`http://${one.domain}/only`)).status).toBe(302);
    expect((await server.visit(`http://${two.domain}/only`)).status).toBe(404);
    expect((await server.visit("http://hop.example/only")).status).toBe(404);
    const listed = await ann.call("GET", `/v1/links?domain=${two.domain}`);
    expect(listed.body).toMatchObject({ data: [{ slug: "Same", url: "https://example.com/1" }] });
  });

  test("each link in bulk is judged separately", async () => {
    const ann = await server.account();
    const [active, pending] = [await activeDomain(ann), await add(ann)];
    const links = [active.domain, pending.domain, "stranger.example"].map((domain) => ({
      url: "https://example.com/",
      domain,
    }));
    expect((await ann.call("POST", "/v1/links/bulk", { links })).body).toMatchObject({
      results: [
        { link: { domain: active.domain } },
        { error: { code: "validation_failed", message: "domain must be active to accept new links, but is pending" } },
        { error: { message: "domain must be one of your active domains, or hop.example" } },
      ],
    });
  });

  test("another account's domain accepts no links of ours", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const { domain } = await activeDomain(ann);
    expect(errorOf(await link(ben, { domain }), API_URL)).toEqual(
      validationFailed(["domain", "invalid_value", "must be one of your active domains, or hop.example"]),
    );
  });

  test("the name may be written in Unicode and capitals", async () => {
    const ann = await server.account();
    const { domain } = await activeDomain(ann, "Los.Bücher-laden.example.");
    expect(domain).toBe("los.xn--bcher-laden-thb.example");
    expect((await link(ann, { domain: "HOP.example." })).body).toMatchObject({ domain: "hop.example" });
    const made = await link(ann, { domain: "LOS.bücher-laden.example", slug: "x" });
    expect(made.body).toMatchObject({ domain, short_url: `http://${domain}/x` });
    expect((await server.visit(`http://${domain}/x`)).status).toBe(302);
  });

  test("no link may lead to a custom domain, whether one's own or another's", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const [verified, pending] = [await activeDomain(ann), await add(ann)];
    const loop = (path: string) =>
      [path, "loop", "must not lead to one of this service's own short domains"] as [string, string, string];
    const to = `https://${verified.domain.toUpperCase()}.:8443/x`;
    const routing = [{ if: { country: "DE" }, to }];
    expect(errorOf(await link(ann, { url: to, routing }), API_URL)).toEqual(
      validationFailed(loop("url"), loop("routing.0.to")),
    );
    expect(errorOf(await link(ben, { url: to }), API_URL)).toEqual(validationFailed(loop("url")));
    expect(errorOf(await link(ann, { url: `https://${pending.domain}/` }), API_URL)).toEqual(
      validationFailed(loop("url")),
    );
    // An unverified claim of another account blocks no one.
    const made = await link(ben, { url: `https://${pending.domain}/` });
    expect(made.status).toBe(201);
    const { id } = made.body as { id: string };
    expect(errorOf(await ben.call("PATCH", `/v1/links/${id}`, { url: to }), API_URL)).toEqual(
      validationFailed(loop("url")),
    );
  });
});

describe("10 DELETE /v1/domains/{id}", () => {
  test("is refused while links exist on the domain; deleted ones do not count", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    const { id } = (await link(ann, { domain: domain.domain, slug: "used" })).body as { id: string };
    expect(errorOf(await ann.call("DELETE", `/v1/domains/${domain.id}`), API_URL)).toEqual(domainInUse(domain.domain));
    await ann.call("DELETE", `/v1/links/${id}`);
    expect((await ann.call("DELETE", `/v1/domains/${domain.id}`)).status).toBe(204);
    expect((await ann.call("GET", `/v1/domains/${domain.id}`)).status).toBe(404);
    expect((await link(ann, { domain: domain.domain })).status).toBe(422);
    expect((await server.visit(`http://${domain.domain}/used`)).status).toBe(410);
    // The next holder does not get the slug, since it is printed somewhere.
    await activeDomain(ann, domain.domain);
    expect(errorOf(await link(ann, { domain: domain.domain, slug: "used" }), API_URL)).toMatchObject({
      code: "slug_taken",
    });
  });

  test("during simultaneous link creation: never a link without its domain", async () => {
    const ann = await server.account();
    for (let before = 0; before <= 6; before += 2) {
      const domain = await activeDomain(ann);
      const links = (count: number) => Array.from({ length: count }, () => link(ann, { domain: domain.domain }));
      const first = links(before);
      // Either immediately, or when one of many requests in flight has been answered.
      if (before > 0) await Promise.race(first);
      const deleting = ann.call("DELETE", `/v1/domains/${domain.id}`);
      const [gone, ...made] = await Promise.all([deleting, ...first, ...links(6 - before)]);
      const statuses = made.map(({ status }) => status);
      expect(statuses.every((status) => status === 201 || status === 422)).toBe(true);
      expect(gone.status).toBe(statuses.includes(201) ? 409 : 204);
    }
  });
});

describe("PATCH /v1/domains/{id}: default redirects", () => {
  test("redirect visitors of the bare domain and of unknown slugs; known and ended links are not affected", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    const base = `http://${domain.domain}`;
    expect((await server.visit(`${base}/`)).status).toBe(404);
    const settings = { root_url: "https://brand.example/welcome?x=1", not_found_url: "https://brand.example/lost" };
    const patched = await ann.call("PATCH", `/v1/domains/${domain.id}`, settings);
    expect([patched.status, patched.body]).toEqual([200, { ...domain, ...settings }]);

    const other = await activeDomain(ann);
    await ann.call("PATCH", `/v1/domains/${other.id}`, settings);
    const { id } = (await link(ann, { domain: other.domain, slug: "known", url: "https://example.com/k" })).body as {
      id: string;
    };
    const there = `http://${other.domain}`;
    expect(await server.visit(`${there}/`)).toEqual({ status: 302, location: settings.root_url });
    expect(await server.visit(`${there}/`, "HEAD")).toEqual({ status: 302, location: settings.root_url });
    expect(await server.visit(`${there}/?a=b`)).toEqual({ status: 302, location: settings.root_url });
    for (const path of ["/nothing", "/not/a/slug", "/x.html", `/${"y".repeat(65)}`]) {
      expect(await server.visit(there + path), path).toEqual({ status: 302, location: settings.not_found_url });
    }
    for (const path of ["/robots.txt", "/favicon.ico", "/.well-known/security.txt", "/v1/links"]) {
      expect((await server.visit(there + path)).status, path).toBe(404);
    }
    expect((await server.visit(`${there}/`, "POST")).status).toBe(405);
    expect(await server.visit(`${there}/known`)).toEqual({ status: 302, location: "https://example.com/k" });
    await ann.call("DELETE", `/v1/links/${id}`);
    expect((await server.visit(`${there}/known2`)).status).toBe(302);
    // Ended links answer 410 instead of leading to the domain's page.
    await link(ann, { domain: other.domain, slug: "gone" }).then(async (made) => {
      await ann.call("DELETE", `/v1/links/${(made.body as { id: string }).id}`);
    });
    expect((await server.visit(`${there}/gone`)).status).toBe(410);
    expect((await server.visit("http://hop.example/nothing")).status).toBe(404);
    expect((await server.visit("http://hop.example/")).status).toBe(404);
  });

  test("redirect visitors of an expired link without a fallback; deleted links still answer 410", async () => {
    const ann = await server.account();
    const domain = await activeDomain(ann);
    const settings = { expired_url: "https://brand.example/over" };
    const patched = await ann.call("PATCH", `/v1/domains/${domain.id}`, settings);
    expect([patched.status, patched.body]).toEqual([200, { ...domain, ...settings }]);
    const expired = async (fields: Record<string, unknown>) => {
      const { body } = await link(ann, { domain: domain.domain, url: "https://example.com/open", ...fields });
      const path = `/v1/links/${(body as { id: string }).id}`;
      expect((await ann.call("PATCH", path, { expires_at: "2026-01-01T00:00:00Z" })).status).toBe(200);
      return path;
    };
    await expired({ slug: "over" });
    await expired({ slug: "fallback", fallback_url: "https://brand.example/other" });
    await ann.call("DELETE", await expired({ slug: "deleted" }));
    const base = `http://${domain.domain}`;
    expect(await server.visit(`${base}/over`)).toEqual({ status: 302, location: settings.expired_url });
    expect(await server.visit(`${base}/fallback`)).toEqual({ status: 302, location: "https://brand.example/other" });
    expect((await server.visit(`${base}/deleted`)).status).toBe(410);
    expect((await server.visit(`${base}/nothing`)).status).toBe(404);
  });

  test("are those of the verified owner, regardless of other claims to the name", async () => {
    const [ann, ben] = [await server.account(), await server.account()];
    const name = freshName();
    const [anns, bens] = [await add(ann, name), await add(ben, name)];
    await ben.call("PATCH", `/v1/domains/${bens.id}`, { root_url: "https://ben.example/" });
    await ann.call("PATCH", `/v1/domains/${anns.id}`, { root_url: "https://ann.example/" });
    setUp(anns);
    await recheck(ann, anns);
    expect(await server.visit(`http://${name}/`)).toEqual({ status: 302, location: "https://ann.example/" });
    const claimed = await add(ben);
    await ben.call("PATCH", `/v1/domains/${claimed.id}`, { root_url: "https://ben.example/" });
    expect((await server.visit(`http://${claimed.domain}/`)).status).toBe(404);
  });

  test("absent leaves it unchanged, null clears it, {} changes nothing; one wrong field applies nothing", async () => {
    const ann = await server.account();
    const domain = await add(ann);
    const path = `/v1/domains/${domain.id}`;
    const both = { root_url: "https://a.example/", not_found_url: "https://b.example/" };
    await ann.call("PATCH", path, both);
    expect((await ann.call("PATCH", path, {})).body).toMatchObject(both);
    expect((await ann.call("PATCH", path, { root_url: null })).body).toMatchObject({ ...both, root_url: null });
    const wrong = await ann.call("PATCH", path, {
      root_url: "https://hop.example/x",
      not_found_url: "javascript:1",
      expired_url: "https://a@b.example/",
      domain: "x.example",
      nope: 1,
    });
    expect(errorOf(wrong, API_URL)).toEqual(
      validationFailed(
        ["not_found_url", "invalid_value", "must begin with http:// or https://"],
        ["expired_url", "invalid_value", "must not contain a user name or password"],
        ["domain", "immutable_field", "is set by the service and cannot be changed"],
        ["nope", "unknown_field", "is unknown"],
        ["root_url", "loop", "must not lead to one of this service's own short domains"],
      ),
    );
    expect((await ann.call("GET", "/v1/domains")).body).toMatchObject({ data: [{ ...both, root_url: null }] });
  });
});

describe("10 bad input", () => {
  /** It gets no domain. */
  let refused: HarnessAccount;

  beforeAll(async () => {
    refused = await server.account();
  });

  const NO_ADDRESS = "must be a host name, not an IP address";
  const OURS = "must not be one of this service's own hosts or a subdomain of one";
  const ALONE = "must be only a host name, without scheme, path or user";
  const SUFFIX = "must not be a public suffix, under which anyone can register names";

  test.each([
    ["192.0.2.1", NO_ADDRESS],
    ["127.1", NO_ADDRESS],
    ["0x7f.1", NO_ADDRESS],
    ["0x7f000001", NO_ADDRESS],
    ["2130706433", NO_ADDRESS],
    ["１９２.0.2.1", NO_ADDRESS],
    ["[::1]", NO_ADDRESS],
    ["::1", NO_ADDRESS],
    ["2001:db8::1", NO_ADDRESS],
    ["go.brand.example:443", "must be a host name without a port"],
    ["*.brand.example", "must be a single host name, not a wildcard"],
    ["com", "must contain a dot, as in go.example.com"],
    ["co.uk", SUFFIX],
    ["github.io", SUFFIX],
    ["hop.example", OURS],
    ["HOP.EXAMPLE.", OURS],
    ["api.hop.example", OURS],
    ["go.t.hop.example", OURS],
    ["cdn.hop.example", OURS],
    ["customers.hop.example", OURS],
    ["https://go.brand.example", ALONE],
    ["go.brand.example/x", ALONE],
    ["user@go.brand.example", ALONE],
    ["", "must not be empty"],
    [" go.brand.example", "must not contain spaces, control characters or %"],
    ["go%2ebrand.example", "must not contain spaces, control characters or %"],
    ["my_shop.brand.example", "must not contain underscores"],
    ["go..example", "must not contain an empty label (two dots, or a dot at the beginning)"],
    [".brand.example", "must not contain an empty label (two dots, or a dot at the beginning)"],
    ["-go.brand.example", "must have labels of letters, digits and hyphens that begin and end with a letter or digit"],
    [`${"a".repeat(64)}.example`, "must have labels of at most 63 characters"],
    ["xn--a.example", "must be a valid host name such as go.example.com"],
    ["\ud800.example", "must be well-formed Unicode"],
  ])("%j: 422, it %s", async (domain, words) => {
    const reply = await refused.call("POST", "/v1/domains", { domain });
    expect(errorOf(reply, API_URL)).toEqual(validationFailed(["domain", "invalid_value", words]));
  });

  test("names of 254 characters, and names that leave no room for the TXT record, are refused", async () => {
    const ann = await server.account();
    const words = "must have at most 237 characters as A-labels, so that its _hoplink-verify record fits into DNS";
    for (const chars of [254, 253, 238]) {
      const domain = `${"a.".repeat(200)}brand.example`.slice(-chars).replace(/^\./, "b");
      expect(domain).toHaveLength(chars);
      const reply = await ann.call("POST", "/v1/domains", { domain });
      expect(errorOf(reply, API_URL)).toEqual(validationFailed(["domain", "invalid_value", words]));
    }
    const longest = `${"a.".repeat(200)}brand.example`.slice(-237).replace(/^\./, "b");
    expect((await add(ann, longest)).domain).toBe(longest);
  });

  test.each([
    ["GO.Brand-X.Example", "go.brand-x.example"],
    ["go.brand-y.example.", "go.brand-y.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["例え.テスト", "xn--r8jz45g.xn--zckzah"],
    ["go。brand-z。example", "go.brand-z.example"],
    // Cyrillic letters that look Latin: the A-labels reveal them.
    ["раураl.example", "xn--l-7sba6dbr.example"],
    ["ｇｏ.full-width.example", "go.full-width.example"],
    ["faß.example", "xn--fa-hia.example"],
    ["xn--bcher-kva.other.example", "xn--bcher-kva.other.example"],
  ])("%j is stored and answered as %s", async (sent, domain) => {
    expect((await add(await server.account(), sent)).domain).toBe(domain);
  });

  test("all problems of a body are reported together", async () => {
    const ann = await server.account();
    expect(errorOf(await ann.call("POST", "/v1/domains?a=b", { domain: 5, root_url: "x" }), API_URL)).toEqual(
      validationFailed(
        ["domain", "invalid_type", "must be of type string, not number"],
        ["root_url", "unknown_field", "is unknown"],
        ["a", "unknown_field", "is unknown"],
      ),
    );
    expect(errorOf(await ann.call("POST", "/v1/domains", {}), API_URL)).toEqual(
      validationFailed(["domain", "required", "is required"]),
    );
  });

  test("a name that the account already has answers 409", async () => {
    const ann = await server.account();
    const { domain } = await add(ann);
    expect(errorOf(await ann.call("POST", "/v1/domains", { domain: domain.toUpperCase() }), API_URL)).toEqual(
      domainTaken(domain, "is already one of your domains"),
    );
  });
});

test("10 lists are paged, newest first", async () => {
  const ann = await server.account();
  const made: Domain[] = [];
  for (let i = 0; i < 5; i++) made.unshift(await add(ann));
  const first = (await ann.call("GET", "/v1/domains?limit=2")).body as { data: Domain[]; next_cursor: string };
  expect(first).toEqual({ data: made.slice(0, 2), has_more: true, next_cursor: made[1]?.id });
  const second = await ann.call("GET", `/v1/domains?limit=100&cursor=${first.next_cursor}`);
  expect(second.body).toEqual({ data: made.slice(2), has_more: false, next_cursor: null });
});
