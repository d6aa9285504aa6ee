/** A deployment without configured hosts, and what happens to its links once it gets its own hosts. */
import { env } from "cloudflare:workers";
import jsQr from "jsqr";
import { describe, expect, test } from "vitest";

import { Link, LinkPage } from "../../src/core/contract/links.ts";
import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { parseShortUrl } from "../../src/core/links/link-search.ts";
import { setLinkDisabled } from "../../src/store/links/operator-links.ts";
import { type ApiResponse, errorOf, readResponse } from "../support/api-response.ts";
import { type ChangedEnv, fetchAt } from "../support/changed-env.ts";
import { eventually } from "../support/eventually.ts";
import { validationFailed } from "../support/expected-errors.ts";
import { openListener } from "../support/stream-listener.ts";
import { premiumAccount, type TestAccount } from "../support/test-accounts.ts";

const NO_HOSTS = { BASE_URL: undefined, SHORT_DOMAIN: undefined, TEST_SHORT_DOMAIN: undefined, CDN_URL: undefined };
const HOST = "hoplink.acme.workers.dev";
const BASE = `https://${HOST}`;
const DOMAIN = { ...NO_HOSTS, BASE_URL: "https://go.hop.example" };

/** Calls the API of a deployment at `base`. */
async function call(
  { key }: TestAccount,
  method: string,
  path: string,
  body?: unknown,
  {
    base = BASE,
    settings = NO_HOSTS,
    ...more
  }: { base?: string; settings?: ChangedEnv; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...more.headers };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return readResponse(await fetchAt(base + path, settings, init));
}

async function createLink(actor: TestAccount, fields: object = {}): Promise<Link> {
  const reply = await call(actor, "POST", "/v1/links", { url: "https://example.com/", ...fields });
  expect(reply.body).toMatchObject({ domain: HOST });
  return Link.parse(reply.body);
}

/** Status and destination of a visit. */
async function visit(url: string, settings: ChangedEnv = NO_HOSTS): Promise<[number, string | null]> {
  const response = await fetchAt(url, settings);
  return [response.status, response.headers.get("Location")];
}

async function modes(): Promise<{ live: TestAccount; test: TestAccount }> {
  const live = await premiumAccount();
  return { live, test: await live.withKey("test") };
}

/** The text in an image, read by jsQR from pixels that resvg rendered from the SVG. */
async function textOf(svg: string): Promise<string> {
  const { Resvg, initWasm } = await import("@resvg/resvg-wasm");
  const { default: wasm } = await import("@resvg/resvg-wasm/index_bg.wasm");
  await initWasm(wasm).catch(() => {});
  const { pixels, width, height } = new Resvg(svg).render();
  return jsQr(Uint8ClampedArray.from(pixels), width, height)?.data ?? "";
}

function newSlug(): string {
  return `s${crypto.randomUUID().slice(0, 8)}`;
}

describe("1 no hosts configured", () => {
  test("everything uses the host of the request: links, codes, dashboard, its policy, addresses in errors", async () => {
    const { live } = await modes();
    const link = await createLink(live);
    expect(link.short_url).toBe(`${BASE}/${link.slug}`);
    expect(await visit(link.short_url)).toEqual([302, "https://example.com/"]);
    const code = await call(live, "POST", "/v1/qr", { link_id: link.id });
    expect(code.body).toMatchObject({ url: expect.stringContaining(`${BASE}/cdn/qr_`) });
    expect(await visit((code.body as { url: string }).url)).toEqual([200, null]);
    const page = await fetchAt(`${BASE}/dashboard`, NO_HOSTS);
    expect(page.headers.get("Content-Security-Policy")).toContain(`img-src 'self' data: blob: ${BASE};`);
    expect(page.headers.get("Strict-Transport-Security")).not.toBeNull();
    expect(errorOf(await call(live, "GET", "/v1/links/lnk_none"), BASE).code).toBe("link_not_found");
  });

  test("pages over plain HTTP redirect to https", async () => {
    const response = await fetchAt(`http://${HOST}/.well-known/api-catalog?x=1`, NO_HOSTS, { redirect: "manual" });
    expect([response.status, response.headers.get("Location")]).toEqual([308, `${BASE}/.well-known/api-catalog?x=1`]);
  });

  test("localhost is used with its port", async () => {
    const { live } = await modes();
    for (const base of ["http://localhost:4711", "http://127.0.0.1:4711", "http://[::1]:4711"]) {
      const reply = await call(live, "POST", "/v1/links", { url: "https://example.com/" }, { base });
      const { short_url, domain } = Link.parse(reply.body);
      expect([short_url.startsWith(`${base}/`), `http://${domain}`]).toEqual([true, base]);
      expect(await visit(short_url)).toEqual([302, "https://example.com/"]);
    }
  });

  test.each(["/", "/v1/links", "/health", "/ready", "/dashboard", "/dashboard/api/config", "/docs", "/openapi.json"])(
    "an unrelated host has no %s",
    async (path) => {
      for (const host of ["https://go.example.org", "http://test.localhost:4711", "http://workers.dev"]) {
        const response = await fetchAt(host + path, NO_HOSTS, { headers: { Accept: "text/html" } });
        const page = await response.text();
        expect([response.status, response.headers.get("X-Robots-Tag")]).toEqual([404, "noindex"]);
        expect(page).not.toMatch(/hoplink\.|dashboard/);
      }
    },
  );

  test("a verified domain of a customer redirects, with its default redirects, but does not serve the service", async () => {
    const { live } = await modes();
    const { id, domain } = await live.activeDomain();
    await live.call("PATCH", `/v1/domains/${id}`, { root_url: "https://example.com/root" });
    const reply = await call(live, "POST", "/v1/links", { url: "https://example.com/", domain, slug: "tt" });
    expect(Link.parse(reply.body).short_url).toBe(`https://${domain}/tt`);
    expect(await visit(`https://${domain}/tt`)).toEqual([302, "https://example.com/"]);
    expect(await visit(`https://${domain}/`)).toEqual([302, "https://example.com/root"]);
    expect(await visit(`https://${domain}/v1/links`)).toEqual([404, null]);
  });

  test("sign-in works, and accepts only requests from pages of that host", async () => {
    const headers = { "Content-Type": "application/json", "CF-Connecting-IP": "::7" };
    const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, name: "A", password: "correct horse" });
    const signUp = (origin: string) =>
      fetchAt(`${BASE}/dashboard/api/auth/sign-up/email`, NO_HOSTS, {
        method: "POST",
        body,
        headers: { ...headers, Origin: origin },
      });
    expect((await signUp("https://hoplink.other.workers.dev")).status).toBe(403);
    const made = await signUp(BASE);
    expect([made.status, made.headers.get("Set-Cookie")]).toEqual([200, expect.stringContaining("Secure")]);
    const Cookie = made.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
    const account = (base: string) => fetchAt(`${base}/dashboard/api/account`, NO_HOSTS, { headers: { Cookie } });
    expect((await account(BASE)).status).toBe(200);
    const slug = (name: string) => fetchAt(`${BASE}/dashboard/api/slugs/${name}`, NO_HOSTS, { headers: { Cookie } });
    expect(await (await slug("t")).json()).toEqual({ slug: "t", available: false, reason: "is reserved" });
    expect(await (await slug(newSlug())).json()).toMatchObject({ available: true });
  });
});

describe("1 one host for both modes", () => {
  test("test links are below /t/, in any case, encoded, with a final slash; nothing else is", async () => {
    const actors = await modes();
    const slug = newSlug();
    const link = await createLink(actors.test, { slug });
    expect([link.slug, link.short_url]).toEqual([slug, `${BASE}/t/${slug}`]);
    const paths = [`t/${slug}`, `T/${slug.toUpperCase()}`, `%74/${slug}/`, `t/%73${slug.slice(1)}`, `t/${slug}?a=b`];
    for (const path of paths) expect([path, ...(await visit(`${BASE}/${path}`))]).toEqual([path, 302, link.url]);
    for (const path of [
      "t",
      "t/",
      "T/",
      "%74",
      `t/t/${slug}`,
      `t%2F${slug}`,
      `t//${slug}`,
      `tt/${slug}`,
      `t/${slug}/a`,
    ]) {
      expect([path, ...(await visit(`${BASE}/${path}`))]).toEqual([path, 404, null]);
    }
  });

  test("modes are separate: neither answers at the other's address, and one slug works in both", async () => {
    const actors = await modes();
    const [slug, shared] = [newSlug(), newSlug()];
    await createLink(actors.live, { slug });
    expect((await visit(`${BASE}/t/${slug}`))[0]).toBe(404);
    await createLink(actors.test, { slug: `${slug}-test` });
    expect((await visit(`${BASE}/${slug}-test`))[0]).toBe(404);
    await createLink(actors.live, { slug: shared, url: "https://example.com/live" });
    await createLink(actors.test, { slug: shared, url: "https://example.com/test" });
    expect(await visit(`${BASE}/${shared}`)).toEqual([302, "https://example.com/live"]);
    expect(await visit(`${BASE}/t/${shared}`)).toEqual([302, "https://example.com/test"]);
  });

  test("the slug t is reserved, in both modes, one by one and in bulk", async () => {
    for (const actor of Object.values(await modes())) {
      for (const body of [{ slug: "t" }, { slug: "T", domain: HOST }]) {
        const reply = await call(actor, "POST", "/v1/links", { url: "https://example.com/", ...body });
        expect(errorOf(reply, BASE)).toEqual(validationFailed(["slug", "invalid_value", "is reserved"]));
      }
      const bulk = await call(actor, "POST", "/v1/links/bulk", { links: [{ url: "https://example.com/", slug: "t" }] });
      expect(bulk.body).toMatchObject({ results: [{ error: { code: "validation_failed" } }] });
    }
  });

  test("links are created, listed and found with the host as their domain", async () => {
    const actor = (await modes()).test;
    const link = await createLink(actor, { domain: HOST, slug: newSlug() });
    const queries = [
      `domain=${HOST}`,
      `slug=${link.slug}`,
      `slug=${link.slug}&domain=${HOST}`,
      `short_url=${encodeURIComponent(`${link.short_url}/`)}`,
      `short_url=${HOST}/T/${link.slug}`,
    ];
    for (const query of queries) {
      const { data } = LinkPage.parse((await call(actor, "GET", `/v1/links?${query}`)).body);
      expect([query, data]).toEqual([query, [link]]);
    }
    const others = [`domain=go.example.com`, `short_url=${HOST}/${link.slug}`];
    for (const query of others) {
      expect((await call(actor, "GET", `/v1/links?${query}`)).body).toMatchObject({ data: [] });
    }
    const refused = await call(actor, "POST", "/v1/links", { url: "https://example.com/", domain: `${HOST}/t` });
    expect(errorOf(refused, BASE)).toEqual(
      validationFailed(["domain", "invalid_value", `must be one of your active domains, or ${HOST}`]),
    );
  });

  test.each(["/abc", "/t/abc", ":443/abc", "./abc"])("a destination back to the host (%s) is refused", async (rest) => {
    for (const actor of Object.values(await modes())) {
      const reply = await call(actor, "POST", "/v1/links", { url: BASE + rest });
      expect(errorOf(reply, BASE)).toEqual(
        validationFailed(["url", "loop", "must not lead to one of this service's own short domains"]),
      );
    }
  });

  test("codes of test links lead below /t/ as well, and their scans are counted and streamed", async () => {
    const actor = (await modes()).test;
    const link = await createLink(actor);
    const stream = await openListener(actor);
    const made = QrCode.parse((await call(actor, "POST", "/v1/qr", { link_id: link.id, format: "svg" })).body);
    const scanned = await textOf(await (await fetchAt(made.url, NO_HOSTS)).text());
    expect(scanned).toMatch(`${link.short_url}?qr=`);
    expect(await visit(scanned)).toEqual([302, link.url]);
    const [event] = await stream.waitForClicks(1);
    expect(event).toMatchObject({ domain: HOST, slug: link.slug, qr_id: made.id });
    // This test's object has the settings of the other tests, whose scheme is http.
    expect(event?.short_url).toBe(link.short_url.replace("https:", "http:"));
    await stream.close();
    const scans = async () => QrCode.parse((await call(actor, "GET", `/v1/qr/${made.id}`)).body).scans;
    await eventually(async () => (await scans()) === 1, "the scan is counted");
  });

  test("test links are changed and deleted like any other", async () => {
    const actor = (await modes()).test;
    const link = await createLink(actor);
    const path = `/v1/links/${link.id}`;
    expect((await call(actor, "PATCH", path, { url: "https://example.com/new" })).status).toBe(200);
    expect(
      (await call(actor, "POST", "/v1/links/bulk-update", { links: [{ id: link.id, title: "New" }] })).body,
    ).toMatchObject({
      results: [{ link: { short_url: link.short_url, domain: HOST, title: "New" } }],
    });
    expect((await call(actor, "DELETE", path)).status).toBe(204);
    expect((await visit(link.short_url))[0]).toBe(410);
    const again = await call(actor, "POST", "/v1/links", { url: "https://example.com/", slug: link.slug });
    expect(errorOf(again, BASE).code).toBe("slug_taken");
  });

  test("an operator disables a link by its short URL, with its path and any surrounding text", async () => {
    const link = await createLink((await modes()).test);
    const { domain, slug } = parseShortUrl(`${HOST}/T/${link.slug}/?a=b`) ?? { domain: "", slug: "" };
    expect(await setLinkDisabled(env, domain, slug, true)).toBe(link.id);
    expect((await visit(link.short_url))[0]).toBe(410);
  });

  test("the dashboard receives the host as the domain of both", async () => {
    const config = await readResponse(await fetchAt(`${BASE}/dashboard/api/config`, NO_HOSTS));
    expect(config.body).toMatchObject({ short_domains: { live: HOST, test: HOST } });
  });
});

describe("16 own hosts, configured later", () => {
  test("links keep redirecting where they were created, in both modes, and can be changed as before", async () => {
    for (const actor of Object.values(await modes())) {
      const link = await createLink(actor);
      const moved = { base: DOMAIN.BASE_URL, settings: DOMAIN };
      const { body } = await call(actor, "GET", `/v1/links/${link.id}`, undefined, moved);
      expect(body).toEqual(link);
      expect(await visit(link.short_url, DOMAIN)).toEqual([302, link.url]);
      const url = "https://example.com/new";
      expect((await call(actor, "PATCH", `/v1/links/${link.id}`, { url }, moved)).body).toMatchObject({ url });
      expect(await visit(`${link.short_url}?fresh`, DOMAIN)).toEqual([302, url]);
      const listed = await call(actor, "GET", `/v1/links?domain=${HOST}`, undefined, moved);
      expect(LinkPage.parse(listed.body).data.map(({ id }) => id)).toEqual([link.id]);
      const made = await call(actor, "POST", "/v1/links", { url, slug: link.slug }, moved);
      expect(Link.parse(made.body).domain).toBe("go.hop.example");
    }
  });

  test("the former host no longer serves the service, and gets no new links", async () => {
    const { live } = await modes();
    expect((await fetchAt(`${BASE}/v1/links?${newSlug()}`, DOMAIN)).headers.get("Content-Type")).toContain("text/html");
    const moved = { base: DOMAIN.BASE_URL, settings: DOMAIN };
    const refused = await call(live, "POST", "/v1/links", { url: "https://example.com/", domain: HOST }, moved);
    expect(errorOf(refused, DOMAIN.BASE_URL).status).toBe(422);
  });
});

test("a destination on the workers.dev host of earlier links is refused as a loop; one on another is not", async () => {
  const ann = await premiumAccount();
  const atDomain = { base: "https://go.hop.example", settings: DOMAIN };
  const earlier = await createLink(ann);
  const refused = await call(ann, "POST", "/v1/links", { url: earlier.short_url }, atDomain);
  expect(errorOf(refused, atDomain.base)).toEqual(
    validationFailed(["url", "loop", "must not lead to one of this service's own short domains"]),
  );
  const other = { url: `https://other-${crypto.randomUUID()}.acme.workers.dev/` };
  expect((await call(ann, "POST", "/v1/links", other, atDomain)).status).toBe(201);
});

test("a repeated request gets the first response on another host, and after the deployment got a domain", async () => {
  const { live } = await modes();
  for (const [path, body] of [
    ["/v1/links", { url: "https://example.com/" }],
    ["/v1/links/bulk", { links: [{ url: "https://example.com/" }] }],
  ] as const) {
    const key = crypto.randomUUID();
    const create = (base: string, settings: ChangedEnv) =>
      call(live, "POST", path, body, { base, settings, headers: { "Idempotency-Key": key } });
    const first = await create(BASE, NO_HOSTS);
    expect(JSON.stringify(first.body)).toContain(`${BASE}/`);
    expect((await create("https://hoplink.other.workers.dev", NO_HOSTS)).body).toEqual(first.body);
    expect((await create("https://go.hop.example", DOMAIN)).body).toEqual(first.body);
  }
});
