/** Icons and page previews that the service fetches for the dashboard: within limits, never from private hosts. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { BrowserSession, signedUp } from "../../support/browser-session.ts";
import { StandInWeb } from "../../support/stand-in-web.ts";

const PUBLIC = "93.184.215.14";
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

let web: StandInWeb;
let site = "";

beforeEach(() => {
  web = new StandInWeb(env.DOH_URL ?? "");
  // Icons are cached for all accounts, so each test has its own host.
  site = `www-${crypto.randomUUID()}.example`;
});

afterEach(() => {
  web.leave();
  vi.useRealTimers();
});

const html = (head: string) => () =>
  new Response(`<!doctype html><html><head>${head}</head><body>…</body></html>`, {
    headers: { "Content-Type": "text/html" },
  });
const image =
  (bytes: Uint8Array<ArrayBuffer> = PNG) =>
  () =>
    new Response(bytes, { headers: { "Content-Type": "text/html" } });

describe("an icon", () => {
  test("is the one named by the page, is fetched once, and cannot run anything", async () => {
    const browser = await signedUp();
    web.host(site, PUBLIC).host("cdn.example", PUBLIC);
    web.page(
      `https://${site}/`,
      html('<link rel="icon" type="image/svg+xml" href="/a.svg"><link rel="shortcut icon" href="//cdn.example/i.png">'),
    );
    web.page("https://cdn.example/i.png", image());
    for (let i = 0; i < 2; i++) {
      const response = await browser.fetch("GET", `/dashboard/api/favicons/${site}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Type")).toBe("image/png");
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(PNG);
    }
    expect(web.requests).toEqual([`https://${site}/`, "https://cdn.example/i.png"]);
  });

  test("is /favicon.ico if the page names none", async () => {
    const browser = await signedUp();
    web.host(site, PUBLIC).page(`https://${site}/`, html("")).page(`https://${site}/favicon.ico`, image());
    expect((await browser.fetch("GET", `/dashboard/api/favicons/${site}`)).status).toBe(200);
  });

  test.each([
    ["the site has none", () => new Response(null, { status: 404 })],
    ["it isn't an image", () => new Response("<script>alert(1)</script>")],
    ["it is an SVG, which is a document", () => new Response("<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["it is too large", () => new Response(new Uint8Array([...PNG, ...new Uint8Array(70_000)]))],
    ["it redirects in a loop", () => Response.redirect(`https://${site}/favicon.ico`)],
  ])("is absent if %s; the result is cached", async (_, page) => {
    const browser = await signedUp();
    web.host(site, PUBLIC).page(`https://${site}/`, html("")).page(`https://${site}/favicon.ico`, page);
    expect((await browser.fetch("GET", `/dashboard/api/favicons/${site}`)).status).toBe(204);
    const { length } = web.requests;
    expect((await browser.fetch("GET", `/dashboard/api/favicons/${site}`)).status).toBe(204);
    expect(web.requests).toHaveLength(length);
  });

  test("that could not be fetched is requested again a day later", async () => {
    const browser = await signedUp();
    const path = `/dashboard/api/favicons/${site}`;
    expect((await browser.fetch("GET", path)).status).toBe(204);
    web.host(site, PUBLIC).page(`https://${site}/`, html("")).page(`https://${site}/favicon.ico`, image());
    expect((await browser.fetch("GET", path)).status).toBe(204);
    vi.useFakeTimers({ now: Date.now() + 24 * 3_600_000 + 60_000, toFake: ["Date"] });
    expect((await browser.fetch("GET", path)).status).toBe(200);
  });

  test.each(["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1", "::ffff:127.0.0.1"])(
    "of a host at %s is not fetched",
    async (address) => {
      const browser = await signedUp();
      web.host(site, PUBLIC, address).page(`https://${site}/`, html("")).page(`https://${site}/favicon.ico`, image());
      expect((await browser.fetch("GET", `/dashboard/api/favicons/${site}`)).status).toBe(204);
      expect(web.requests).toEqual([]);
    },
  );

  test.each(["127.0.0.1", "93.184.216.34", "[::1]", "localhost", "a b"])(
    "of %s is absent, without a fetch",
    async (host) => {
      const browser = await signedUp();
      const response = await browser.fetch("GET", `/dashboard/api/favicons/${encodeURIComponent(host)}`);
      expect(response.status).toBe(204);
      expect(web.requests).toEqual([]);
    },
  );

  test("is not fetched if a page redirects into the operator's network", async () => {
    const browser = await signedUp();
    web.host(site, PUBLIC).host("inside.example", "10.0.0.1");
    for (const path of ["", "favicon.ico"]) {
      web.page(`https://${site}/${path}`, () => Response.redirect("https://inside.example/secret"));
    }
    web.page("https://inside.example/secret", image());
    expect((await browser.fetch("GET", `/dashboard/api/favicons/${site}`)).status).toBe(204);
    expect(web.requests.filter((url) => url.includes("inside"))).toEqual([]);
  });

  test("requires a session", async () => {
    const reply = await new BrowserSession().call("GET", `/dashboard/api/favicons/${site}`);
    expect(reply.status).toBe(401);
  });
});

describe("a preview", () => {
  test("has what social networks read", async () => {
    const browser = await signedUp();
    web.host(site, PUBLIC).page(
      `https://${site}/a`,
      html(`<title>Own</title><meta property="og:title" content="Tom &amp; Jerry &#39;24&#x27;">
        <meta name="description" content="  One
        line "><meta property="og:site_name" content="Site"><meta property="og:image" content="/card.png">`),
    );
    const reply = await browser.api("POST", "/previews", { url: `https://${site}/a` });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        fetched: true,
        title: "Tom & Jerry '24'",
        description: "One line",
        site_name: "Site",
        image: `https://${site}/card.png`,
      },
    });
    web.page(`https://${site}/card.png`, image());
    const card = await browser.fetch(
      "GET",
      `/dashboard/api/previews/image?url=${encodeURIComponent(`https://${site}/card.png`)}`,
    );
    expect([card.status, card.headers.get("Content-Type")]).toEqual([200, "image/png"]);
  });

  test("has the title of the page, not those of drawings in it", async () => {
    const browser = await signedUp();
    const body = "<body><svg><title>Close</title></svg><svg><title>Menu</title></svg></body>";
    web.host(site, PUBLIC).page(`https://${site}/`, html(`<title>Spring sale</title></head>${body}`));
    const reply = await browser.api("POST", "/previews", { url: `https://${site}/` });
    expect(reply.body).toMatchObject({ title: "Spring sale" });
  });

  test.each([
    ["an attribute without end", `<meta name="x${"a".repeat(600_000)}">`],
    ["a comment without end", `<!--${"a".repeat(600_000)}`],
    ["open elements without end", "<b>".repeat(200_000)],
    ["attributes without end", `<meta ${Array.from({ length: 60_000 }, (_, i) => `a${i}`).join(" ")}>`],
    ["invalid UTF-8", "<title>\u00ff</title>"],
  ])("of a page with %s still succeeds", async (_, text) => {
    const browser = await signedUp();
    web.host(site, PUBLIC).page(`https://${site}/`, html(text)).page(`https://${site}/favicon.ico`, image());
    expect((await browser.api("POST", "/previews", { url: `https://${site}/` })).status).toBe(200);
    expect((await browser.fetch("GET", `/dashboard/api/favicons/${site}`)).status).toBe(200);
  });

  test.each([
    ["a page that cannot be reached", ""],
    ["a private address", "http://127.0.0.1/"],
    ["another port", "https://example.com:8443/"],
  ])("of %s reports that it was not fetched", async (_, url) => {
    const browser = await signedUp();
    const reply = await browser.api("POST", "/previews", { url: url || `https://${site}/` });
    expect(reply).toMatchObject({
      status: 200,
      body: { fetched: false, title: null, description: null, site_name: null, image: null },
    });
    expect(web.requests).toEqual([]);
  });

  test.each([
    ["has no preview data", html(""), true],
    ["answers with an error", () => new Response("<title>Error</title>", { status: 503 }), false],
  ])("of a page that %s says whether it was fetched", async (_, page, fetched) => {
    const browser = await signedUp();
    web.host(site, PUBLIC).page(`https://${site}/`, page);
    const reply = await browser.api("POST", "/previews", { url: `https://${site}/` });
    const body = { fetched, title: null, description: null, site_name: null, image: null };
    expect(reply).toMatchObject({ status: 200, body });
  });

  test("does not read an endless page beyond the limit", async () => {
    const browser = await signedUp();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    web.host(site, PUBLIC).page(`https://${site}/`, () => new Response(endless));
    expect((await browser.api("POST", "/previews", { url: `https://${site}/` })).status).toBe(200);
    expect(sent).toBeLessThan(1_000_000);
  });

  test("is limited per account", async () => {
    const browser = await signedUp();
    const statuses = await Promise.all(
      Array.from(
        { length: 130 },
        async () => (await browser.api("POST", "/previews", { url: "http://127.0.0.1/" })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(120);
    expect(statuses).toContain(429);
  });
});
