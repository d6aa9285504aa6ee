/** What an MCP host shows to a user who forgot the API key: it tries to sign in and is refused with an explanation. */
import { auth, Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { fetchAt } from "../support/changed-env.ts";
import { BASE_URL, freeAccount, visit } from "../support/test-accounts.ts";

const DEPLOYED = {
  BASE_URL: "https://api.hop.example",
  SHORT_DOMAIN: "hop.example",
  TEST_SHORT_DOMAIN: "t.hop.example",
};
const REGISTRATION = { method: "POST", body: "{}", headers: { Accept: "application/json" } };
const MISSING = "The header Authorization: Bearer <API key> is missing. It is the only way to sign in to MCP.";

/** A host that signs its user in, as all capable hosts do. */
const signIn: OAuthClientProvider = {
  redirectUrl: "http://127.0.0.1:9/callback",
  clientMetadata: { redirect_uris: ["http://127.0.0.1:9/callback"] },
  clientInformation: () => undefined,
  saveClientInformation: () => undefined,
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => "",
};

const ownFetch = (url: string | URL, init?: RequestInit) => exports.default.fetch(new Request(url, init));

describe("a host without a key", () => {
  test("reports that the key is missing, and where to read more", async () => {
    const client = new Client({ name: "test-agent", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", BASE_URL), {
      authProvider: signIn,
      fetch: ownFetch,
    });
    await expect(client.connect(transport)).rejects.toThrow(`${MISSING} See ${BASE_URL}/docs/mcp`);
  });

  test("finds no authorization server", async () => {
    await expect(auth(signIn, { serverUrl: `${BASE_URL}/mcp`, fetchFn: ownFetch })).rejects.toThrow(MISSING);
    for (const name of ["oauth-protected-resource", "oauth-authorization-server", "openid-configuration"]) {
      for (const path of [name, `${name}/mcp`]) {
        expect((await ownFetch(`${BASE_URL}/.well-known/${path}`)).status).toBe(404);
      }
    }
  });
});

describe("a registration", () => {
  test("is refused on the service's host only, in OAuth's form", async () => {
    const refused = await fetchAt("https://api.hop.example/register", DEPLOYED, REGISTRATION);
    expect([refused.status, refused.headers.get("Allow"), await refused.json()]).toEqual([
      405,
      "GET, HEAD",
      { error: "access_denied", error_description: `${MISSING} See https://api.hop.example/docs/mcp` },
    ]);
    for (const host of ["hop.example", "t.hop.example", "go.customer.example"]) {
      const page = await fetchAt(`https://${host}/register`, DEPLOYED, REGISTRATION);
      expect([page.status, await page.json()]).toMatchObject([405, { error: { code: "method_not_allowed" } }]);
    }
  });

  test("does not hide a link with that name", async () => {
    const ann = await freeAccount();
    const { short_url: shortUrl } = await ann.createLink({ slug: "register", url: "https://example.com/join" });
    expect((await visit(shortUrl)).headers.get("Location")).toBe("https://example.com/join");
  });
});
