import { expect, test } from "vitest";

import { anyCaseSlug, exactSlug } from "../../../src/core/hosts.ts";
import { aliasesBeyond, isSameAddress, linkAtAlias } from "../../../src/core/links/link-aliases.ts";
import type { LinkAlias } from "../../../src/core/links/link-members.ts";
import { type LinkSnapshot, tombstoneOf } from "../../../src/core/links/link-snapshot.ts";

const ALIAS: LinkAlias = { domain: "go.ann.example", slug: "Autumn", tenure: 2 };
const TYPED: LinkAlias = { ...ALIAS, slug: anyCaseSlug("Größe"), typedSlug: "Größe" };

test.each<[string, Partial<LinkAlias>, Partial<LinkAlias>, boolean]>([
  ["the same", {}, {}, true],
  ["in another case", {}, { slug: "aUTUMN" }, true],
  ["of another domain", {}, { domain: "ann.example" }, false],
  ["of another holder of the domain", {}, { tenure: 3 }, false],
  ["with another slug", {}, { slug: "autumn2" }, false],
  ["exact slugs in different cases", { slug: exactSlug("Ab") }, { slug: exactSlug("aB") }, false],
])("an address, and another: %s", (_name, one, other, expected) => {
  expect(isSameAddress({ ...ALIAS, ...one }, { ...ALIAS, ...other })).toBe(expected);
});

test("the aliases that others lack keep their order", () => {
  const [a, b, c] = ["a", "b", "c"].map((slug): LinkAlias => ({ ...ALIAS, slug })) as [LinkAlias, LinkAlias, LinkAlias];
  expect(aliasesBeyond([a, b, c], [{ ...b, slug: "B" }])).toEqual([a, c]);
  expect(aliasesBeyond([a, b], [{ ...a, tenure: 1 }])).toEqual([a, b]);
  expect(aliasesBeyond([a], [c, b, a])).toEqual([]);
});

test("a visitor of an alias finds the link, or nothing if it was removed or its domain has another holder", () => {
  const link = { id: "lnk_1", url: "https://example.com/", state: "active", aliases: [ALIAS, TYPED] } as LinkSnapshot;
  expect(linkAtAlias(link, { ...ALIAS, slug: "autumn" })).toEqual({ link, alias: "go.ann.example/Autumn" });
  expect(linkAtAlias(link, TYPED)).toEqual({ link, alias: "go.ann.example/Gr%C3%B6%C3%9Fe" });
  const nothing = { link: tombstoneOf(link) };
  expect(linkAtAlias(link, { ...ALIAS, slug: "winter" })).toEqual(nothing);
  expect(linkAtAlias(link, { ...ALIAS, tenure: 1 })).toEqual(nothing);
  const { aliases: _, ...without } = link;
  expect(linkAtAlias(without, ALIAS)).toEqual(nothing);
});
