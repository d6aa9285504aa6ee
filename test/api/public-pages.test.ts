/** The public pages as the Worker serves them, from the files of `npm run build`. */
import { describe, expect, test } from "vitest";

import { exports } from "cloudflare:workers";

import { fetchAt } from "../support/changed-env.ts";
import { BASE_URL, premiumAccount } from "../support/test-accounts.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const HOST = "https://api.hop.example";
const DEPLOYED = { BASE_URL: HOST, SHORT_DOMAIN: "hop.example", TEST_SHORT_DOMAIN: "t.hop.example" };

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(BASE_URL + path, { redirect: "manual", headers });
}

test("the base address redirects to the dashboard", async () => {
  await premiumAccount();
  const response = await get("/");
  expect(response.status).toBe(302);
  expect(response.headers.get("Location")).toBe("/dashboard");
});

describe.each(["/docs", "/docs/", "/docs/api", "/docs/errors", "/docs/streaming"])("%s", (path) => {
  test("is a page that may load nothing from elsewhere", async () => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Content-Security-Policy")).toBe(POLICY);
    expect(response.headers.get("Link")).toBe('</.well-known/api-catalog>; rel="api-catalog"');
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(await response.text()).toContain("· Hoplink</title>");
  });

  test("is not changed in transit: the Worker compresses it, so the edge does not", async () => {
    const plain = await get(path);
    const compressed = await get(path, { "Accept-Encoding": "br, gzip" });
    const encodings = [plain, compressed].map(({ headers }) => headers.get("Content-Encoding"));
    expect(encodings).toEqual([null, "gzip"]);
    for (const { headers } of [plain, compressed]) {
      expect(headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate, no-transform");
      expect(headers.get("Vary")).toContain("Accept-Encoding");
    }
    expect(await compressed.text()).toBe(await plain.text());
    const refused = await get(path, { "Accept-Encoding": "gzip;q=0, identity" });
    expect([refused.headers.get("Content-Encoding"), (await refused.text()).length > 0]).toEqual([null, true]);
  });

  test("is not sent again to clients that have it", async () => {
    const etag = (await get(path)).headers.get("ETag") ?? "";
    const response = await get(path, { "If-None-Match": etag });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe("");
  });
});

test("every page of the navigation and of the search exists", async () => {
  const navigation = /<nav id="navigation".*?<\/nav>/s.exec(await (await get("/docs")).text())?.[0] ?? "";
  const links = [...navigation.matchAll(/ href="([^"]*)"/g)].map(([, path = ""]) => path);
  const index = await (await get("/docs/search.json")).json<{ id: string }[]>();
  const paths = new Set([...links, ...index.map(({ id }) => id.replace(/#.*/, ""))]);
  expect(paths).toContain("/docs/streaming");
  for (const path of paths) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 200]);
    await response.text();
  }
});

test.each([
  ["/docs/docs.css", "text/css; charset=utf-8"],
  ["/docs/docs.js", "text/javascript; charset=utf-8"],
  ["/docs/try-it.js", "text/javascript; charset=utf-8"],
  ["/docs/search.js", "text/javascript; charset=utf-8"],
  ["/docs/search.json", "application/json"],
  ["/docs/favicon.svg", "image/svg+xml"],
  ["/favicon.ico", "image/svg+xml"],
])("%s exists", async (path, type) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe(type);
  await response.text();
});

test("any page can read /openapi.json", async () => {
  const response = await get("/openapi.json");
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(await response.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Hoplink" } });
});

describe.each([
  ["/asyncapi.json", "application/json", '"asyncapi": "3.0.0"'],
  ["/llms.txt", "text/plain; charset=utf-8", `(${HOST}/docs/quickstart.md)`],
  ["/llms-full.txt", "text/plain; charset=utf-8", "# Quickstart"],
  ["/docs/streaming.md", "text/markdown; charset=utf-8", `${HOST}/v1/events/stream`],
])("%s", (path, type, text) => {
  test("is a text with this service's addresses, which any page can read", async () => {
    const response = await fetchAt(HOST + path, DEPLOYED);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const body = await response.text();
    expect(body).toContain(text);
    expect(body).not.toContain("localhost:8787/v1");
  });

  test("has the same headers for HEAD", async () => {
    const response = await fetchAt(HOST + path, DEPLOYED, { method: "HEAD" });
    expect([response.status, response.headers.get("Content-Type"), await response.text()]).toEqual([200, type, ""]);
  });

  test("is not sent again to clients that have it, unless the service has another host", async () => {
    const response = await get(path);
    const etag = response.headers.get("ETag") ?? "";
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
    await response.text();
    const again = await get(path, { "If-None-Match": `W/${etag}` });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, etag, ""]);
    const elsewhere = await fetchAt(HOST + path, DEPLOYED, { headers: { "If-None-Match": etag } });
    expect(elsewhere.status).toBe(200);
    await elsewhere.text();
  });
});

test("the AsyncAPI document names the server that it came from, and the path of the stream", async () => {
  const response = await fetchAt(`${HOST}/asyncapi.json`, DEPLOYED);
  expect(await response.json()).toMatchObject({
    servers: { hoplink: { host: "api.hop.example", protocol: "https" } },
    channels: { events: { address: "/v1/events/stream" } },
  });
});

test("every address in llms.txt exists", async () => {
  const text = await (await get("/llms.txt")).text();
  const addresses = [...text.matchAll(/\]\((.+?)\)/g)].map(([, address = ""]) => address);
  expect(addresses.length).toBeGreaterThan(15);
  for (const address of addresses) {
    expect(address).toMatch(`${BASE_URL}/`);
    const response = await exports.default.fetch(address);
    expect([address, response.status]).toEqual([address, 200]);
    await response.text();
  }
});

test.each(["/docs/nowhere.md", "/docs/docs.md", "/docs/.md", "/docs/index.md"])("%s is not a guide", async (path) => {
  const response = await get(path);
  expect(response.status).toBe(404);
  await response.text();
});

describe.each(["/docs/nowhere", "/docs/api/links", "/docs/not-found"])("%s does not exist", (path) => {
  test("programs get 404 not_found", async () => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
  });

  test("browsers get a page with the search that leads to each reader's pages", async () => {
    const headers = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const response = await get(path, headers);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(response.headers.get("Content-Security-Policy")).toBe(POLICY);
    const page = await response.text();
    for (const part of ['<input\n          id="query"', "/docs#marketers", "/docs#integrators", "/docs#operators"]) {
      expect(page).toContain(part);
    }
    // A browser that has the page sends its tag.
    const again = await get(path, { ...headers, "If-None-Match": response.headers.get("ETag") ?? "" });
    expect([again.status, await again.text()]).toEqual([404, page]);
  });
});
