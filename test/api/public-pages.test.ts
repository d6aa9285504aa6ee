/** The public pages as the Worker serves them, from the files of `npm run build`. */
import { describe, expect, test } from "vitest";

import { exports } from "cloudflare:workers";

import { BASE_URL, premiumAccount } from "../support/test-accounts.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(BASE_URL + path, { redirect: "manual", headers });
}

test("the base address leads to the reference", async () => {
  await premiumAccount();
  const response = await get("/");
  expect(response.status).toBe(302);
  expect(response.headers.get("Location")).toBe("/docs");
});

describe.each(["/docs", "/docs/", "/docs/errors", "/docs/streaming"])("%s", (path) => {
  test("is a page that may load nothing from elsewhere", async () => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Content-Security-Policy")).toBe(POLICY);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(await response.text()).toContain("· Hoplink</title>");
  });

  test("is not sent again to who has it", async () => {
    const etag = (await get(path)).headers.get("ETag") ?? "";
    const response = await get(path, { "If-None-Match": etag });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe("");
  });
});

test("every page of the navigation and of the search is there", async () => {
  const navigation = /<nav id="navigation".*?<\/nav>/s.exec(await (await get("/docs")).text())?.[0] ?? "";
  const links = [...navigation.matchAll(/ href="([^"]*)"/g)].map(([, path = ""]) => path);
  const index = await (await get("/docs/search.json")).json<{ path: string }[]>();
  const paths = new Set([...links, ...index.map(({ path }) => path.replace(/#.*/, ""))]);
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
  ["/docs/search.json", "application/json"],
  ["/docs/favicon.svg", "image/svg+xml"],
  ["/favicon.ico", "image/svg+xml"],
])("%s is there", async (path, type) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe(type);
  await response.text();
});

test("/openapi.json can be read from any page", async () => {
  const response = await get("/openapi.json");
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
  expect(await response.json()).toMatchObject({ openapi: "3.1.0", info: { title: "Hoplink" } });
});

test("a page that does not exist answers 404 not_found", async () => {
  const response = await get("/docs/nowhere");
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
});
