/** The dashboard's pages and files as the Worker serves them. They never take the place of a slug. */
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { BASE_URL, premiumAccount, visit } from "../../support/test-accounts.ts";

const TEST_HOST = "http://test.localhost:8787";
/** The headers of a browser's navigation: asset servers answer such requests with their own page. */
const NAVIGATION = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", Accept: "text/html" };

function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(url, { redirect: "manual", headers });
}

async function scriptPath(): Promise<string> {
  const html = await (await get(`${BASE_URL}/dashboard`)).text();
  const path = /\/dashboard\/assets\/[\w.-]+\.js/.exec(html)?.[0];
  if (!path) throw new Error(`no script in the page:\n${html}`);
  return path;
}

describe("pages", () => {
  test.each([
    "/dashboard",
    "/dashboard/",
    "/dashboard/links/lnk_1",
    "/dashboard/settings/keys",
    "/dashboard/index.html",
  ])("%s is the one page, which may load nothing from elsewhere and which no page may frame", async (path) => {
    const response = await get(BASE_URL + path, NAVIGATION);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("/dashboard/assets/");
    const { headers } = response;
    expect(headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(headers.get("Cache-Control")).toBe("no-cache, no-transform");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(Object.fromEntries(policyOf(headers))).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self' 'unsafe-inline'",
      "connect-src": "'self'",
      "img-src": `'self' data: blob: ${BASE_URL}`,
      "font-src": "'self'",
      "form-action": "'self'",
      "frame-ancestors": "'none'",
      "base-uri": "'none'",
    });
  });

  test("have no inline script, which the policy would block", async () => {
    const html = await (await get(`${BASE_URL}/dashboard`)).text();
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const tag of scripts) expect(tag).toMatch(/ src="\/dashboard\//);
    expect(html).not.toMatch(/ on\w+=|javascript:|https?:\/\//);
  });

  test("hashed files are cached permanently", async () => {
    const response = await get(BASE_URL + (await scriptPath()));
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(/^(text|application)\/javascript/);
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    await response.text();
  });

  test("a missing file is a 404, and not the page", async () => {
    const response = await get(`${BASE_URL}/dashboard/assets/index-ffffffff.js`, NAVIGATION);
    expect(response.status).toBe(404);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("slugs", () => {
  test.each(["index", "index-html", "abc", "assets-1", "dashboard-1", "main", "404"])(
    "/%s is an ordinary link, even when a browser navigates to it",
    async (stem) => {
      const ann = await premiumAccount();
      const trial = await ann.withKey("test");
      const slug = `${stem}-${crypto.randomUUID().slice(0, 8)}`;
      const links = [await ann.createLink({ slug, url: "https://example.com/live" })];
      links.push(await trial.createLink({ slug, url: "https://example.com/test" }));
      for (const { short_url, url } of links) {
        const response = await visit(short_url, { headers: NAVIGATION });
        expect([response.status, response.headers.get("Location")]).toEqual([302, url]);
      }
    },
  );

  test.each(["/index.html", "/assets", "/dashboard/assets", "/docs/docs.css", "/index", "/dashboard/index.html"])(
    "%s on a short domain or a customer's domain is not a file of the service",
    async (path) => {
      for (const host of [TEST_HOST, "https://go.customer.example"]) {
        const response = await get(host + path, NAVIGATION);
        expect(response.status).toBe(404);
        expect(await response.text()).toContain("This link does not exist");
      }
    },
  );

  test("the dashboard, its files and its API are on the service's own host only", async () => {
    for (const host of [TEST_HOST, "https://go.customer.example"]) {
      for (const path of ["/dashboard", await scriptPath(), "/dashboard/api/config"]) {
        const response = await get(host + path);
        expect(response.status).toBe(404);
        expect(response.headers.getSetCookie()).toEqual([]);
        await response.text();
      }
    }
  });

  test("a navigation to an unknown slug is a 404, not the dashboard", async () => {
    const response = await get(`${BASE_URL}/abc-${crypto.randomUUID()}`, NAVIGATION);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("/dashboard/");
  });
});

function policyOf(headers: Headers): [string, string][] {
  const policy = headers.get("Content-Security-Policy") ?? "";
  return policy.split("; ").map((part): [string, string] => {
    const space = part.indexOf(" ");
    return [part.slice(0, space), part.slice(space + 1)];
  });
}
