import { describe, expect, test } from "vitest";

import {
  addressObjectName,
  aliasesBeyond,
  isSameAddress,
  linkAtAlias,
  type LinkSnapshot,
  type ObjectAddress,
  objectNameOf,
  ownObjectName,
  routeKeys,
  snapshotBytes,
  tombstoneOf,
} from "../../../src/core/links/link-snapshot.ts";
import { anyCaseSlug, exactSlug } from "../../../src/core/hosts.ts";
import type { LinkAlias } from "../../../src/core/links/link-members.ts";

const LINK: LinkSnapshot = {
  id: "lnk_2",
  accountId: "acc_1",
  mode: "live",
  origin: "api",
  domain: "go.ann.example",
  slug: "Spring",
  url: "https://example.com/",
  routing: [{ if: { country: ["DE"] }, to: "https://example.com/de" }],
  expiresAt: Date.parse("2026-12-01T00:00:00Z"),
  revision: 3,
  state: "active",
  qrKey: "c2VjcmV0",
};

test("a deleted link keeps nothing that could be followed or proved", () => {
  const link = { ...LINK, startsAt: 1, fallbackUrl: "https://example.com/soon", forwardQuery: true };
  expect(tombstoneOf(link)).toMatchObject({
    ...LINK,
    url: "",
    routing: [],
    expiresAt: null,
    startsAt: null,
    fallbackUrl: null,
    forwardQuery: false,
    state: "deleted",
    qrKey: "",
  });
});

describe("the destination of a click", () => {
  const otherwise = { rule: "default", destination: "https://example.com/" };

  test.each([
    ["0", { rule: "country=DE", destination: "https://example.com/de" }],
    ["", otherwise],
    ["1", otherwise],
  ])("by rule %j", (rule, keys) => {
    expect(routeKeys(LINK, rule)).toEqual(keys);
  });
});

describe("memory of a snapshot", () => {
  test.each<[string, Partial<LinkSnapshot>, number]>([
    ["without rules", { routing: [] }, 500 + 2 * "https://example.com/".length],
    [
      "with rules",
      {},
      500 + 2 * ("https://example.com/".length + '[{"if":{"country":["DE"]},"to":"https://example.com/de"}]'.length),
    ],
    ["with a card", { routing: [], social: { title: "1234" } }, 500 + 2 * 36],
    ["with a fallback", { routing: [], fallbackUrl: "https://example.com/2" }, 500 + 2 * 41],
    ["deleted", { url: "", routing: [] }, 500],
  ])("%s", (_name, facts, bytes) => {
    expect(snapshotBytes({ ...LINK, ...facts })).toBe(bytes);
  });

  test("is measured once", () => {
    const link = { ...LINK, routing: [...LINK.routing] };
    const bytes = snapshotBytes(link);
    link.routing.length = 0;
    expect(snapshotBytes(link)).toBe(bytes);
  });
});

describe("the name of a link's object", () => {
  test.each<[ObjectAddress, string]>([
    [{ domain: "go.ann.example", slug: "Spring" }, "go.ann.example/spring"],
    [
      { domain: "go.ann.example", slug: "Spring", objectName: "go.ann.example/spring@lnk_2" },
      "go.ann.example/spring@lnk_2",
    ],
  ])("%j", (address, name) => {
    expect(objectNameOf(address)).toBe(name);
  });

  test("of an address, and of a link separate from its address", () => {
    expect(addressObjectName("hop.example", "A-b")).toBe("hop.example/a-b");
    expect(ownObjectName({ domain: "hop.example", slug: "A-b", id: "lnk_9" })).toBe("hop.example/a-b@lnk_9");
  });
});

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
