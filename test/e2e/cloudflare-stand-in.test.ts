/** The stand-in for Cloudflare refuses what Cloudflare refuses, and serves uploads in a deployment's shares. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { CloudflareApi } from "../../src/cli/cloudflare/api.ts";
import { CloudflareError } from "../support/cloudflare/api-request.ts";
import { Cloudflare } from "../support/cloudflare/cloudflare.ts";
import { normalizedUrl } from "../support/cloudflare/edge.ts";
import { newZone } from "../support/cloudflare/zones.ts";

const HOST = "try.example.workers.dev";
const PYTHON = { headers: { "User-Agent": "Python-urllib/3.12" } };
const PAGE = `<!doctype html><head><title>a@b.example</title></head><p title="c@d.example">e@f.example
<!--email_off-->g@h.example<!--/email_off--> <a href="mailto:i@j.example">k</a><textarea>l@m.example</textarea>`;
let cloudflare: Cloudflare;

beforeAll(async () => {
  cloudflare = await Cloudflare.start({ hasR2: false });
});

afterAll(() => cloudflare.stop());

/** @param path  below the account's */
async function call(method: string, path: string, body?: unknown, token = cloudflare.environment.CLOUDFLARE_API_TOKEN) {
  const response = await fetch(`${cloudflare.api.url}/accounts/${cloudflare.account.id}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const { errors, result } = (await response.json()) as { errors: { code: number }[]; result: unknown };
  return { status: response.status, code: errors[0]?.code, result };
}

function upload(text: string, metadata: object = {}): FormData {
  const form = new FormData();
  const code = `import { DurableObject } from "cloudflare:workers";
class Counter extends DurableObject { async next() { const n = ((await this.ctx.storage.get("n")) ?? 0) + 1; await this.ctx.storage.put("n", n); return n; } }
class Other extends DurableObject {}
export { Counter, Other };
export default { async fetch(request, env) { const { pathname, searchParams } = new URL(request.url); if (pathname === "/headers") return Response.json([Object.fromEntries(request.headers), request.cf]); if (pathname === "/page") return new Response(${JSON.stringify(PAGE)}, { headers: Object.fromEntries(searchParams) }); if (pathname === "/version") return new Response(env.VERSION.id); const n = await env.COUNTER.getByName("one").next(); return new Response(\`${text} \${n} \${new URL(request.url).origin} \${env.NAME} \${env.KEPT}\`); } };`;
  const objects = { name: "COUNTER", type: "durable_object_namespace", class_name: "Counter" };
  const metadataBinding = { name: "VERSION", type: "version_metadata" };
  const bindings = [objects, metadataBinding, { name: "NAME", type: "plain_text", text }];
  form.set(
    "metadata",
    JSON.stringify({ main_module: "a.js", compatibility_date: "2026-10-30", bindings, ...metadata }),
  );
  form.set("a.js", new File([code], "a.js", { type: "application/javascript+module" }));
  return form;
}

const MIGRATIONS = { new_tag: "v1", steps: [{ new_sqlite_classes: ["Counter"] }] };
const KEPT = [{ name: "KEPT", type: "secret_text", text: "kept" }];

describe("a stand-in for Cloudflare", () => {
  it.each([
    ["a wrong token", () => call("GET", "/workers/subdomain", undefined, "x".repeat(40)), 403, 9109],
    ["an unknown path", () => call("GET", "/workers/nothing"), 404, 7003],
    ["a missing Worker", () => call("GET", "/workers/services/none"), 404, 10_090],
    ["a missing database", () => call("GET", "/d1/database/none"), 404, 7404],
    [
      "a region that D1 does not have",
      () => call("POST", "/d1/database", { name: "one", primary_location_hint: "sam" }),
      400,
      7400,
    ],
    ["R2 if it is not enabled", () => call("GET", "/r2/buckets"), 403, 10_042],
    ["a class without its migration", () => call("PUT", "/workers/scripts/none", upload("a")), 400, 10_061],
    [
      "a migration from another tag",
      () => call("PUT", "/workers/scripts/none", upload("a", { migrations: { ...MIGRATIONS, old_tag: "v0" } })),
      412,
      10_079,
    ],
    [
      "an unknown kind of binding",
      () => call("PUT", "/workers/scripts/none", upload("a", { bindings: [{ name: "A", type: "mainframe" }] })),
      400,
      10_021,
    ],
    [
      "a database of another account",
      () => call("PUT", "/workers/scripts/none", upload("a", { bindings: [{ name: "DB", type: "d1", id: "0" }] })),
      400,
      10_021,
    ],
    [
      "CPU limits on the free plan",
      () => call("PUT", "/workers/scripts/none", upload("a", { limits: { cpu_ms: 10 } })),
      400,
      100_328,
    ],
    [
      "more than 3 MB on the free plan",
      () => {
        const form = upload("a");
        const random = () => crypto.getRandomValues(new Uint8Array(60_000));
        const bytes = Array.from({ length: 60 }, random);
        form.set("b.wasm", new File(bytes, "b.wasm", { type: "application/wasm" }));
        return call("PUT", "/workers/scripts/none", form);
      },
      400,
      10_027,
    ],
  ])("refuses %s", async (_, attempt, status, code) => {
    expect(await attempt()).toMatchObject({ status, code });
    expect(cloudflare.account.scripts.size).toBe(0);
  });

  // Cloudflare's examples: https://developers.cloudflare.com/rules/normalization/examples
  it.each([
    ["/hello?a=%68//..", "/hello?a=%68//.."],
    ["/%68ello", "/hello"],
    ["/%68ello//pa\\th", "/hello/pa/th"],
    ["//a//", "/a/"],
    ["/a/./b/../c", "/a/c"],
    ["/a/%2e%2E/c", "/c"],
    ["/../..", "/"],
    ["/a%2fb%5cc/é", "/a%2Fb%5Cc/%C3%A9"],
  ])("normalizes the URL %s of a zone to %s", (url, normalized) => {
    expect(normalizedUrl(url)).toBe(normalized);
  });

  it("refuses calls after the 1,200th in five minutes and says when to retry; commands wait until then", async () => {
    const busy = await Cloudflare.start();
    try {
      const { CLOUDFLARE_API_TOKEN = "", CLOUDFLARE_API_BASE_URL: url = "" } = busy.environment;
      const path = `/accounts/${busy.account.id}/d1/database`;
      const api = new CloudflareApi(CLOUDFLARE_API_TOKEN, url);
      busy.api.fail(/^POST/, new CloudflareError(429, 971, "Please wait", 0), 5);
      const create = () => api.send("POST", path, { name: "one" });
      await expect(create()).rejects.toMatchObject({ status: 429, retryAfterMs: 0 });
      expect(await create()).toMatchObject({ name: "one" });
      expect(busy.api.calls).toHaveLength(6);

      const headers = { Authorization: `Bearer ${CLOUDFLARE_API_TOKEN}` };
      const get = async () => {
        const response = await fetch(`${url}${path}/one`, { headers });
        await response.text();
        return response;
      };
      for (let calls = 1; calls < 1_200; calls++) expect((await get()).status).toBe(200);
      const refused = await get();
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(250);
      expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(300);
    } finally {
      await busy.stop();
    }
  });

  it("creates only one database per name", async () => {
    expect(await call("POST", "/d1/database", { name: "one" })).toMatchObject({ status: 200 });
    expect(await call("POST", "/d1/database", { name: "one" })).toMatchObject({ status: 400, code: 7502 });
    const sql = "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x;y'); SELECT a FROM t";
    const { result } = await call("POST", "/d1/database/one/query", { sql });
    expect(result).toMatchObject([{ results: [] }, { results: [] }, { results: [{ a: "x;y" }] }]);
    expect(await call("POST", "/d1/database/one/query", { sql: "SELEC" })).toMatchObject({ status: 400, code: 7500 });
  });

  it("serves versions in their shares, with shared storage, and keeps secrets", async () => {
    const first = upload("first", { migrations: MIGRATIONS, bindings: [...bindingsOf(upload("first")), ...KEPT] });
    expect(await call("PUT", "/workers/scripts/try", first)).toMatchObject({ status: 200 });
    await call("POST", "/workers/scripts/try/subdomain", { enabled: true });
    expect((await cloudflare.visit(`https://${HOST}/`)).body).toBe(`first 1 https://${HOST} first kept`);

    const second = await call(
      "POST",
      "/workers/scripts/try/versions",
      upload("second", { keep_bindings: ["secret_text"] }),
    );
    const [before] = cloudflare.script("try").versions;
    const versions = [
      { version_id: before?.id, percentage: 90 },
      { version_id: (second.result as { id: string }).id, percentage: 10 },
    ];
    const deployment = { strategy: "percentage", versions };
    expect(await call("POST", "/workers/scripts/try/deployments", { versions })).toMatchObject({ code: 10_214 });
    expect(await call("POST", "/workers/scripts/try/deployments", deployment)).toMatchObject({ status: 200 });
    const texts: string[] = [];
    for (let i = 0; i < 20; i++) texts.push((await cloudflare.visit(`https://${HOST}/`)).body);
    expect(texts.filter((text) => text.startsWith("second"))).toHaveLength(2);
    expect(texts.at(-1)).toContain(" 21 ");
    expect(texts.every((text) => text.endsWith(" kept"))).toBe(true);

    const { id } = second.result as { id: string };
    const pinned = { headers: { "Cloudflare-Workers-Version-Overrides": `try="${id}"` } };
    expect((await cloudflare.visit(`https://${HOST}/version`, pinned)).body).toBe(id);
    const unknown = { headers: { "Cloudflare-Workers-Version-Overrides": 'try="none", other="x"' } };
    expect((await cloudflare.visit(`https://${HOST}/version`, unknown)).body).toBe(before?.id);
    expect(JSON.stringify((await call("GET", "/workers/scripts/try/settings")).result)).not.toContain("kept");

    const changed = { name: "KEPT", type: "secret_text", text: "changed" };
    const later = upload("third", { bindings: [...bindingsOf(upload("third")), changed] });
    const { id: third } = (await call("POST", "/workers/scripts/try/versions", later)).result as { id: string };
    const back = { strategy: "percentage", versions: [{ version_id: id, percentage: 100 }] };
    expect(third).not.toBe(id);
    expect(await call("POST", "/workers/scripts/try/deployments", back)).toMatchObject({ status: 400, code: 10_220 });
    expect(await call("POST", "/workers/scripts/try/deployments?force=true", back)).toMatchObject({ status: 200 });
  });

  it("attaches a host to a Worker as its domain, and replaces another record only when asked to", async () => {
    const zone = newZone("example.org");
    const record = { type: "A", content: "192.0.2.1", proxied: false, ttl: 1 };
    zone.records.push({ id: "1", name: "go.example.org", ...record });
    cloudflare.account.zones.push(zone);
    const path = "/workers/scripts/try/domains/records";
    const origins = [{ hostname: "go.example.org" }];
    expect(await call("PUT", path, { origins })).toMatchObject({ status: 409, code: 100_117 });
    expect(await call("PUT", path, { origins, override_existing_dns_record: true })).toMatchObject({ status: 200 });
    expect(zone.records).toMatchObject([{ name: "go.example.org", meta: { origin_worker_id: "try" } }]);
    expect((await cloudflare.visit("https://go.example.org/")).status).toBe(200);

    const setting = async (name: string) => {
      const response = await fetch(`${cloudflare.api.url}/zones/${zone.id}/settings/${name}`, {
        headers: { Authorization: `Bearer ${cloudflare.environment.CLOUDFLARE_API_TOKEN}` },
      });
      return { status: response.status, ...((await response.json()) as object) };
    };
    const { status, body } = await cloudflare.visit("https://go.example.org/", PYTHON);
    expect([status, body]).toEqual([403, "error code: 1010"]);
    zone.settings.browser_check = "off";
    expect((await cloudflare.visit("https://go.example.org/", PYTHON)).status).toBe(200);

    expect(await setting("always_use_https")).toMatchObject({ status: 200, result: { value: "off" } });
    expect(await setting("always_use_http")).toMatchObject({ status: 400, errors: [{ code: 1003 }] });
    expect((await cloudflare.visit("http://go.example.org/")).body).toContain(" http://go.example.org ");
    zone.settings.always_use_https = "on";
    const redirected = { status: 301, location: "https://go.example.org/a?b" };
    expect(await cloudflare.visit("http://go.example.org/a?b")).toMatchObject(redirected);
    expect((await cloudflare.visit("https://go.example.org/")).body).toContain(" https://go.example.org ");
  });

  it("replaces headers that the edge sets, removes some, and passes on all others", async () => {
    const sent = {
      "Accept-Encoding": "identity",
      "CF-Connecting-IP": "192.0.2.1",
      "CF-IPCountry": "DE",
      "CF-Ray": "1",
      "CF-Visitor": '{"scheme":"http"}',
      "True-Client-IP": "192.0.2.2",
      "X-Forwarded-For": "192.0.2.3",
      "X-Real-IP": "192.0.2.4",
      "X-Visitor-Country": "DE",
      "a.b": "c",
    };
    for (const host of [HOST, "go.example.org"]) {
      const { body } = await cloudflare.visit(`https://${host}/headers`, { headers: sent });
      const [headers, cf] = JSON.parse(body) as [Record<string, string>, object];
      expect(cf).toMatchObject({ colo: "AMS", country: "NL", clientAcceptEncoding: "identity" });
      expect(headers).toMatchObject({
        "accept-encoding": "br, gzip",
        "cdn-loop": "cloudflare",
        "cf-connecting-ip": "203.0.113.7",
        "cf-ipcountry": "NL",
        "cf-ray": expect.stringMatching(/-AMS$/),
        "cf-visitor": '{"scheme":"https"}',
        host,
        "true-client-ip": "192.0.2.2",
        "x-forwarded-for": "192.0.2.3,203.0.113.7",
        "x-forwarded-proto": "https",
        "x-real-ip": "203.0.113.7",
        "x-visitor-country": "DE",
      });
      expect(Object.keys(headers).filter((name) => /^(a\.b|x-stand-in-.*|mf-.*)$/.test(name))).toEqual([]);
    }
  });

  it("hides email addresses in the pages of a zone, unless they forbid it, and nowhere else", async () => {
    const page = async (headers: Record<string, string>, host = "go.example.org") => {
      const url = `https://${host}/page?${String(new URLSearchParams({ "X-Accel-Buffering": "no", ...headers }))}`;
      const reply = await cloudflare.visit(url);
      expect(reply.headers.get("X-Accel-Buffering")).toBeNull();
      return reply.body;
    };
    const html = { "Content-Type": "text/html; charset=utf-8" };
    const hidden = await page(html);
    expect(hidden.match(/\w@\w\.example/g)).toEqual(["a@b.example", "c@d.example", "g@h.example", "l@m.example"]);
    expect(hidden).toContain('<a href="/cdn-cgi/l/email-protection#');
    expect(hidden).toContain("[email&#160;protected]</span>");
    expect(hidden).toMatch(/email-decode\.min\.js"><\/script>$/);
    expect(await page({ ...html, "Cache-Control": "no-store, no-transform" })).toBe(PAGE);
    expect(await page({ "Content-Type": "application/json" })).toBe(PAGE);
    expect(await page(html, HOST)).toBe(PAGE);
    const [zone] = cloudflare.account.zones;
    if (zone) zone.settings.email_obfuscation = "off";
    expect(await page(html)).toBe(PAGE);
  });
});

function bindingsOf(form: FormData): object[] {
  return (JSON.parse(String(form.get("metadata"))) as { bindings: object[] }).bindings;
}
