/** `/.well-known`: resources that programs find by a fixed name. */
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { fetchAt } from "../support/changed-env.ts";
import { premiumAccount } from "../support/test-accounts.ts";

const BASE = "https://api.hop.example";
const DEPLOYED = { BASE_URL: BASE, SHORT_DOMAIN: "hop.example", TEST_SHORT_DOMAIN: "t.hop.example" };
const CATALOG = "/.well-known/api-catalog";
const SECURITY = "/.well-known/security.txt";
const HEALTH = { href: `${BASE}/health`, type: "application/json", title: "Service health" };
const CONTACT = { ABUSE_CONTACT: "abuse@hop.example" };

/** A link set as JSON (RFC 9264, 4.2): each context has its address, and under each relation its targets. */
const Target = z.strictObject({ href: z.url(), type: z.string().optional(), title: z.string().optional() });
const Targets = z.array(Target).min(1).optional();
const Links = { item: Targets, "service-desc": Targets, "service-doc": Targets, status: Targets };
const LinkSet = z.strictObject({ linkset: z.array(z.strictObject({ anchor: z.url(), ...Links })) });

describe("the API catalog", () => {
  test("is a link set with the profile of RFC 9727, which any page can read", async () => {
    const response = await fetchAt(BASE + CATALOG, DEPLOYED);
    expect(response.status).toBe(200);
    const type = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=3600");
    expect(await response.json()).toEqual({
      linkset: [
        {
          anchor: BASE + CATALOG,
          item: [
            { href: `${BASE}/v1`, title: "REST API" },
            { href: `${BASE}/mcp`, title: "MCP server" },
          ],
        },
        {
          anchor: `${BASE}/v1`,
          "service-desc": [
            { href: `${BASE}/openapi.json`, type: "application/json", title: "OpenAPI document" },
            { href: `${BASE}/asyncapi.json`, type: "application/json", title: "AsyncAPI document of the live stream" },
          ],
          "service-doc": [
            { href: `${BASE}/docs/api`, type: "text/html", title: "API reference" },
            { href: `${BASE}/llms.txt`, type: "text/plain", title: "Documentation as plain text" },
          ],
          status: [HEALTH],
        },
        {
          anchor: `${BASE}/mcp`,
          "service-desc": [
            { href: `${BASE}/mcp/server-card`, type: "application/mcp-server-card+json", title: "MCP server card" },
          ],
          "service-doc": [{ href: `${BASE}/docs/mcp`, type: "text/html", title: "Agents (MCP)" }],
          status: [HEALTH],
        },
      ],
    });
  });

  test("answers HEAD with its link", async () => {
    const response = await fetchAt(BASE + CATALOG, DEPLOYED, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("Link")).toBe(`<${BASE}${CATALOG}>; rel="api-catalog"`);
    expect(response.headers.get("Content-Type")).toContain("application/linkset+json");
    expect(await response.text()).toBe("");
  });

  test("has the members that RFC 9264 allows, with addresses as contexts and targets", async () => {
    const catalog = LinkSet.parse(await (await fetchAt(BASE + CATALOG, DEPLOYED)).json());
    const anchors = catalog.linkset.map(({ anchor }) => anchor);
    expect(new Set(anchors).size).toBe(anchors.length);
    // Each API of the catalog is described, and nothing else is.
    const [own, ...described] = catalog.linkset;
    expect(own?.item?.map(({ href }) => href)).toEqual(described.map(({ anchor }) => anchor));
  });

  test("links to existing resources of the stated type", async () => {
    const { linkset } = LinkSet.parse(await (await fetchAt(BASE + CATALOG, DEPLOYED)).json());
    const targets = linkset.flatMap((links) =>
      Object.values(links).flatMap((each) => (Array.isArray(each) ? each : [])),
    );
    for (const { href } of targets.filter(({ type }) => type === undefined)) {
      const api = await fetchAt(href, DEPLOYED);
      expect([href, api.status, await api.json()]).toMatchObject([href, 401, { error: { code: "missing_api_key" } }]);
    }
    const pages = targets.filter(({ type }) => type !== undefined);
    expect(pages.length).toBeGreaterThan(7);
    for (const { href, type } of pages) {
      const response = await fetchAt(href, DEPLOYED);
      expect([href, response.status, response.headers.get("Content-Type")?.split(";")[0]]).toEqual([href, 200, type]);
      await response.text();
    }
  });
});

describe("security.txt", () => {
  test("has the deployment's contact, and when to fetch it again", async () => {
    const before = Date.now();
    const response = await fetchAt(BASE + SECURITY, { ...DEPLOYED, ...CONTACT });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")?.toLowerCase()).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=3600");
    const text = await response.text();
    expect(text).toMatch(/^Contact: mailto:abuse@hop\.example\nExpires: .*Z\nPreferred-Languages: en\nCanonical: /);
    const days = (Date.parse(/Expires: (.*)/.exec(text)?.[1] ?? "") - before) / 86_400_000;
    expect(days).toBeGreaterThan(100);
    expect(days).toBeLessThan(365);
  });

  test("answers HEAD without a body", async () => {
    const response = await fetchAt(BASE + SECURITY, { ...DEPLOYED, ...CONTACT }, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test.each([undefined, "", "http://hop.example/abuse"])("with the contact %j does not exist", async (contact) => {
    const response = await fetchAt(BASE + SECURITY, { ...DEPLOYED, ABUSE_CONTACT: contact });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("hosts of links", () => {
  const files = [
    CATALOG,
    SECURITY,
    "/mcp/server-card",
    "/asyncapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/docs/links.md",
  ];

  test.each(files)(
    "have no %s: neither the default ones nor a customer's, whatever its default redirects",
    async (path) => {
      const ann = await premiumAccount();
      const { id, domain } = await ann.activeDomain();
      await ann.call("PATCH", `/v1/domains/${id}`, { not_found_url: "https://example.com/nothing" });
      for (const host of ["hop.example", "t.hop.example", domain, "unknown.example"]) {
        const response = await fetchAt(`https://${host}${path}`, { ...DEPLOYED, ...CONTACT });
        const page = await response.text();
        expect([host, response.status, response.headers.get("Location")]).toEqual([host, 404, null]);
        expect(page).not.toContain("api.hop.example");
      }
    },
  );
});
