/** `links.yaml` as `hoplink pull` writes it over an existing one. */
import { expect, test } from "vitest";

import type { CurrentLink } from "../../../src/client/plan/plan.ts";
import { updatedLinksFile } from "../../../src/client/plan/written-file.ts";
import { currentLink, DOMAIN, parsed } from "./sample-links.ts";

const RULES = [{ if: { country: "DE" }, to: "https://example.com/de" }];

function updated(text: string, links: readonly CurrentLink[]): string {
  return updatedLinksFile(text, parsed(text), { defaultDomain: DOMAIN, caseSensitive: new Set(), links });
}

const SHARED = `links:
  - slug: a
    url: https://example.com/
    routing: &rules [ { if: { country: DE }, to: https://example.com/de } ]
  - { slug: b, url: https://example.com/, routing: *rules } # as a
`;

test("shared rules stay shared until they change", () => {
  const links = [currentLink("a", { routing: RULES }), currentLink("b", { routing: RULES, title: "B" })];
  expect(
    updated(
      SHARED,
      links.map((link) => ({ ...link, title: undefined }) as unknown as CurrentLink),
    ),
  ).toBe(SHARED);
  expect(updated(SHARED, links)).toBe(SHARED.replace("routing: *rules }", "routing: *rules, title: B }"));
});

test("17 a password in the file stays while the link has one, and pull writes only that there is one", () => {
  const text = `links:
  - slug: a
    url: https://example.com/
    password: needle # known to all
`;
  const isProtected = currentLink("a", { password_protected: true });
  expect(updated(text, [isProtected])).toBe(text);
  expect(updated(text, [currentLink("a")])).not.toContain("password");
  const noted = updated(text.replace(/ +password.*\n/, ""), [isProtected]);
  expect(noted).toContain("    password_protected: true\n");
  expect(updated(noted, [isProtected])).toBe(noted);
  expect(updated(noted, [currentLink("a")])).not.toContain("password");
});

test("rules that change for one link alone are written out", () => {
  const links = [currentLink("a", { routing: RULES }), currentLink("b")];
  expect(updated(SHARED, links)).toBe(SHARED.replace(", routing: *rules", ""));
});

test("rules are kept when the link that defined them is gone", () => {
  const { file } = parsed(updated(SHARED, [currentLink("b", { routing: RULES })]));
  expect(file.links).toEqual([{ slug: "b", url: "https://example.com/", routing: RULES }]);
});

test("a shared address is changed only where it has changed", () => {
  const text = "links:\n  - { slug: a, url: &home https://example.com/ }\n  - { slug: b, url: *home }\n";
  const { file } = parsed(updated(text, [currentLink("a", { url: "https://example.com/new" }), currentLink("b")]));
  expect(file.links.map(({ url }) => url)).toEqual(["https://example.com/new", "https://example.com/"]);
  const other = parsed(updated(text, [currentLink("a"), currentLink("b", { url: "https://example.com/new" })]));
  expect(other.file.links.map(({ url }) => url)).toEqual(["https://example.com/", "https://example.com/new"]);
});

test("rules may be shared by many", () => {
  const slugs = Array.from({ length: 200 }, (_, i) => `b${i}`);
  const shared = slugs.map((slug) => `  - {slug: ${slug}, url: https://example.com/, routing: *rules}\n`).join("");
  const text = SHARED + shared;
  const links = slugs.map((slug) => currentLink(slug, { routing: RULES }));
  const kept = [currentLink("a", { routing: RULES }), currentLink("b", { routing: RULES, title: "B" }), ...links];
  expect(updated(text, kept)).toContain(shared);
  expect(parsed(updated(text, links)).file.links.length).toBe(200);
});

test("an empty file gets each link on a separate line", () => {
  expect(updated("links: [] # none\n", [currentLink("a", { title: "yes" })])).toContain("  - slug: a\n");
});

const EDITED_BY_HAND = `# Ours
managed_by: website   # the tag

links:
- slug: a   # first
  url: "https://example.com/a" # where to
  tags: [x,  y]
  routing:
  - if: {country: [DE, AT]}
    to: https://example.com/de

# second
- slug: b
  url: https://example.com/b
`;

test.each([
  ["unchanged", EDITED_BY_HAND],
  ["with Windows line endings", EDITED_BY_HAND.replaceAll("\n", "\r\n")],
  ["with deeper indentation", EDITED_BY_HAND.replaceAll(/^(?=[- ])/gm, "    ")],
])("unchanged lines stay exactly as they are, and comments stay at their values: %s", (_, text) => {
  const routing = [{ if: { country: ["DE", "AT"] }, to: "https://example.com/de" }];
  const links = [
    currentLink("a", { url: "https://example.com/new", tags: ["x", "y", "website"], routing }),
    currentLink("b", { url: "https://example.com/b", title: "B", tags: ["website"] }),
  ];
  const [lineEnd = ""] = /\r?\n/.exec(text) ?? [];
  const [, indent = ""] = /^( *)url: .*b$/m.exec(text.replaceAll("\r", "")) ?? [];
  expect(updated(text, links)).toBe(
    `${text.replace('"https://example.com/a"', '"https://example.com/new"')}${indent}title: B${lineEnd}`,
  );
});

test("a text that differs only in spaces is written", () => {
  const text = `links:\n  - { slug: a, url: https://example.com/, title: "a  b" }\n`;
  expect(updated(text, [currentLink("a", { title: "a b" })])).toContain('title: "a b"');
});
