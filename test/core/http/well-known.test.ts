import { describe, expect, test } from "vitest";

import { abuseContact } from "../../../src/core/deployment/settings.ts";
import { mcpServerCard, mcpServerIdentity, securityText } from "../../../src/core/http/well-known.ts";
import { RELEASE } from "../../../src/core/release.ts";

const NOW = Date.parse("2026-11-21T09:30:15.250Z");
const BASE = "https://api.hop.example";

function textFor(contact: string, baseUrl = BASE, now = NOW): string | null {
  return securityText(abuseContact({ ABUSE_CONTACT: contact }), baseUrl, now);
}

describe("security.txt (RFC 9116)", () => {
  test("has a contact, an end, a language and its own address", () => {
    expect(textFor("abuse@hop.example")).toBe(
      [
        "Contact: mailto:abuse@hop.example",
        "Expires: 2027-05-20T00:00:00Z",
        "Preferred-Languages: en",
        "Canonical: https://api.hop.example/.well-known/security.txt",
        "",
      ].join("\n"),
    );
  });

  test("accepts an https page as the contact", () => {
    expect(textFor("https://hop.example/abuse?a=1")).toMatch(/^Contact: https:\/\/hop\.example\/abuse\?a=1\n/);
  });

  test.each(["", "http://hop.example/abuse", "neither"])("does not exist with the contact %j", (contact) => {
    expect(textFor(contact)).toBeNull();
  });

  test("stays the same all day", () => {
    const times = ["2026-11-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z"].map((time) => Date.parse(time));
    expect(times.map((now) => textFor("abuse@hop.example", BASE, now))).toEqual([
      textFor("abuse@hop.example"),
      textFor("abuse@hop.example"),
    ]);
    expect(textFor("abuse@hop.example", BASE, Date.parse("2026-11-22T00:00:00Z"))).toContain("2027-05-21T");
  });

  test("has no address on plain HTTP, which the RFC does not allow", () => {
    expect(textFor("abuse@hop.example", "http://localhost:8787")).not.toContain("Canonical");
  });

  test.each(["a\nContact: mailto:b@c.example", "https://hop.example/\r\nExpires: never"])(
    "cannot be injected lines through the contact %j",
    (contact) => {
      expect(textFor(contact)?.match(/^(Contact|Expires):/gm) ?? []).toHaveLength(textFor(contact) === null ? 0 : 2);
    },
  );
});

test.each([
  ["https://api.hop.example", "example.hop.api/hoplink"],
  ["https://api_1.hop.example:8443", "example.hop.api-1/hoplink"],
  ["http://localhost:8787", "localhost/hoplink"],
])("the card of the MCP server at %s names it %s, and says where it is", (baseUrl, name) => {
  const identity = mcpServerIdentity(baseUrl);
  expect(identity).toMatchObject({ name, version: RELEASE, websiteUrl: `${baseUrl}/docs/mcp` });
  expect(mcpServerCard(baseUrl)).toMatchObject({ ...identity, remotes: [{ url: `${baseUrl}/mcp` }] });
});
