/** `links.yaml` as `hoplink pull` writes it over one that is there. */
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

test("rules that are shared stay shared while they are right", () => {
  const links = [currentLink("a", { routing: RULES }), currentLink("b", { routing: RULES, title: "B" })];
  expect(
    updated(
      SHARED,
      links.map((link) => ({ ...link, title: undefined }) as unknown as CurrentLink),
    ),
  ).toBe(SHARED);
  expect(updated(SHARED, links)).toBe(SHARED.replace("routing: *rules }", "routing: *rules, title: B }"));
});

test("one that changes alone is written out", () => {
  const links = [currentLink("a", { routing: RULES }), currentLink("b")];
  expect(updated(SHARED, links)).toBe(SHARED.replace(", routing: *rules", ""));
});

test("rules stay where the link is gone that they were written in", () => {
  const { file } = parsed(updated(SHARED, [currentLink("b", { routing: RULES })]));
  expect(file.links).toEqual([{ slug: "b", url: "https://example.com/", routing: RULES }]);
});

test("an empty file gets links in lines of their own", () => {
  expect(updated("links: [] # none\n", [currentLink("a", { title: "yes" })])).toContain("  - slug: a\n");
});
