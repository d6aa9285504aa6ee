/** Plans: what a file would change in the existing links, and that no change remains once it is applied. */
import fc from "fast-check";
import { expect, test } from "vitest";

import type { CreateLink, Link } from "../../../src/client/api-types.ts";
import { toUpdateLink, type CurrentLink, isEmpty, makePlan, type Plan } from "../../../src/client/plan/plan.ts";
import type { LinksFile } from "../../../src/client/plan/links-file.ts";
import { planJson, planLines, planMarkdown, planSummary } from "../../../src/client/plan/plan-text.ts";
import { currentLink, DOMAIN, parsed, situation } from "./sample-links.ts";

const LINKS = (links: string) => `links:\n${links}`;

test("a missing link is created, with only the members that are set", () => {
  const file = parsed(
    LINKS(
      "- { slug: a, url: https://example.com/a, title: null, tags: [], forward_query: false, redirect_status: 302 }",
    ),
  );
  const plan = makePlan(file, situation(), false);
  expect(plan).toEqual({
    create: [
      {
        address: { domain: DOMAIN, slug: "a" },
        line: 2,
        link: { domain: DOMAIN, slug: "a", url: "https://example.com/a" },
      },
    ],
    change: [],
    missing: [],
    prunes: false,
    unchanged: 0,
    problems: [],
  });
});

test("changes name each member with its old and new value; a member absent from the file is cleared", () => {
  const there = currentLink("a", { title: "Old", tags: ["x"], expires_at: "2026-12-31T22:59:59.000Z", revision: 7 });
  const file = parsed(
    LINKS(`- slug: A
  url: https://example.com/new
  expires_at: 2026-12-31T23:59:59+01:00
  routing: [{ if: { country: de }, to: https://example.com/de }]`),
  );
  const { change, create, unchanged } = makePlan(file, situation([there, currentLink("other")]), false);
  const rules = [{ if: { country: "DE" }, to: "https://example.com/de" }];
  expect([create, unchanged, change.length]).toEqual([[], 0, 1]);
  expect(change[0]).toMatchObject({ address: { slug: "A" }, current: { id: "lnk_a", revision: 7 } });
  expect(change[0]?.members.toSorted((a, b) => (a.member < b.member ? -1 : 1))).toEqual([
    { member: "routing", before: null, after: rules },
    { member: "tags", before: ["x"], after: null },
    { member: "title", before: "Old", after: null },
    { member: "url", before: "https://example.com/", after: "https://example.com/new" },
  ]);
  expect(change[0] && toUpdateLink(change[0])).toEqual({
    url: "https://example.com/new",
    routing: rules,
    tags: null,
    title: null,
  });
});

test("aliases are compared in any order, by default on the link's own domain", () => {
  const short_url = "https://hop.example/x";
  const aliases = [
    { slug: "x", domain: DOMAIN, short_url },
    { slug: "y/z", domain: "go.example", short_url },
  ];
  const links = situation([currentLink("a", { aliases })]);
  const planned = (list: string) =>
    makePlan(parsed(LINKS(`- { slug: a, url: https://example.com/, aliases: ${list} }`)), links, false);
  expect(planned(`[{ slug: y/z, domain: GO.example }, { slug: x }]`).unchanged).toBe(1);
  const plan = planned(`[{ slug: x }, { slug: new, domain: go.example }]`);
  expect(plan.change[0] && toUpdateLink(plan.change[0])).toEqual({
    aliases: [{ slug: "x" }, { slug: "new", domain: "go.example" }],
  });
  expect(planLines(plan, "links.yaml").map(({ mark, text }) => mark + text)).toEqual([
    "~hop.example/a",
    "-    aliases: x, go.example/y/z",
    "+    aliases: x, go.example/new",
  ]);
});

test("the tag of the file is put on its links, and shows which of them are no longer in it", () => {
  const links = [
    currentLink("kept", { tags: ["a", "Website"] }),
    currentLink("hand", { tags: ["a"] }),
    currentLink("gone", { tags: ["website"] }),
    currentLink("other"),
  ];
  const file = parsed(`managed_by: website
links:
- { slug: kept, url: https://example.com/, tags: [a] }
- { slug: hand, url: https://example.com/, tags: [a] }`);
  const plan = makePlan(file, situation(links), true);
  expect(plan.change.map(({ members }) => members)).toEqual([
    [{ member: "tags", before: ["a"], after: ["a", "website"] }],
  ]);
  expect([plan.unchanged, plan.missing.map(({ slug }) => slug)]).toEqual([1, ["gone"]]);
  expect(planLines(plan, "links.yaml").map(({ mark, text }) => `${mark} ${text}`)).toEqual([
    "~ hop.example/hand",
    "!     adopted: this link already exists without the tag website",
    "-     tags: a",
    "+     tags: a, website",
    "- hop.example/gone",
  ]);
  expect(planSummary(plan)).toBe("1 to change (1 adopted), 1 to delete, 1 unchanged.");
  expect(planJson(plan).change).toMatchObject([{ address: "hop.example/hand", adopted: true }]);
  const withoutTag = makePlan(parsed(LINKS("- { slug: kept, url: https://example.com/ }")), situation(links), true);
  expect(withoutTag.missing).toEqual([]);
});

test("changes that cannot be made are reported with their line, and the rest is planned", () => {
  const records = [
    { type: "CNAME", name: "new.example.com", value: "hop.example", status: "missing", reason: null },
    { type: "TXT", name: "_hoplink-verify.new.example.com", value: "abc", status: "active", reason: null },
  ] as const;
  const domains = new Map([["new.example.com", { status: "pending" as const, records: [...records] }]]);
  const file = parsed(`domains: [absent.example.com, "https://hop.example/"]
links:
- { slug: a, url: https://example.com/ }
- { slug: A, url: https://example.com/2 }
- { slug: b, domain: new.example.com, url: https://example.com/ }
- { slug: c, url: https://example.com/, expires_at: 2020-01-01T00:00:00Z }
- { slug: d, url: https://example.com/, routing: [{ if: { country: DE }, to: https://example.com/de }] }`);
  const plan = makePlan(file, situation([], { domains, isPremium: false }), false);
  expect(plan.create.map(({ address }) => address.slug)).toEqual(["a"]);
  expect(plan.problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
    "4 is already on line 3",
    "5 needs the domain new.example.com, which is pending: in DNS, add CNAME new.example.com → hop.example",
    "6 would already be expired: expires_at must be in the future",
    "7 has rules, which require the Premium plan",
    "null absent.example.com needs the domain absent.example.com, which is not in your account: add it in the dashboard under Domains",
    "null https://hop.example/ needs the domain https://hop.example/, which must be only a host name, without scheme, path or user",
  ]);
});

test("on a case-sensitive domain, slugs that differ in case are two links", () => {
  const domains = new Map([["cs.example", { status: "active" as const, records: [], case_sensitive: true as const }]]);
  const there = currentLink("Ab", { domain: "cs.example" });
  const file = parsed(`domain: CS.example
links:
- { slug: Ab, url: https://example.com/ }
- { slug: aB, url: https://example.com/ }`);
  const plan = makePlan(file, situation([there], { domains }), false);
  expect([plan.unchanged, plan.create.map(({ link }) => link.slug), plan.problems]).toEqual([1, ["aB"], []]);
});

test("a key that may not read domains changes no link whose slug differs in case", () => {
  const links = [currentLink("Ab", { domain: "cs.example" }), currentLink("Cd")];
  const file = parsed(`links:
- { slug: aB, domain: cs.example, url: https://example.com/new }
- { slug: cD, url: https://example.com/new }`);
  const { change, create, problems } = makePlan(file, situation(links, { domains: null }), true);
  expect([change.map(({ current }) => current.slug), create]).toEqual([["Cd"], []]);
  expect(problems).toMatchObject([{ line: 2, message: expect.stringContaining("domains:read") }]);
});

test("17 only password_protected is compared, and no plan shows a password", () => {
  const there = currentLink("there", { password_protected: true });
  const open = currentLink("open");
  const plans = (lines: string, setsPasswords = false) =>
    makePlan(parsed(LINKS(lines)), situation([there, open]), false, setsPasswords);
  const link = (slug: string, more: string) => `- { slug: ${slug}, url: https://example.com/, ${more} }`;
  for (const kept of ["password: needle", "password_protected: true", "password: needle, password_protected: true"]) {
    expect(plans(link("there", kept))).toMatchObject({ unchanged: 1, change: [], problems: [] });
  }
  const [cleared] = plans(link("there", "title: null")).change;
  expect(cleared && toUpdateLink(cleared)).toEqual({ password: null });
  const [set] = plans(link("open", "password: needle")).change;
  expect(set?.members).toEqual([{ member: "password", before: null, after: true, secret: "needle" }]);
  expect(set && toUpdateLink(set)).toEqual({ password: "needle" });
  const [replaced] = plans(link("there", "password: needle"), true).change;
  expect(replaced && toUpdateLink(replaced)).toEqual({ password: "needle" });
  for (const slug of ["open", "new"]) {
    const { problems, change, create } = plans(link(slug, "password_protected: true"));
    expect([change, create]).toEqual([[], []]);
    expect(problems).toMatchObject([{ message: expect.stringContaining("has no password") }]);
  }
  const all = plans([link("open", "password: needle"), link("new", "password: needle")].join("\n"));
  expect(all.create[0]?.link).toMatchObject({ password: "needle" });
  const shown = [JSON.stringify(planJson(all)), planMarkdown(all, "links.yaml"), JSON.stringify(planLines(all, "f"))];
  for (const text of shown) expect(text).not.toContain("needle");
  expect(shown[1]).toContain("+     password_protected: true");
});

const members = fc.record(
  {
    title: fc.constantFrom(null, "One", "Two"),
    tags: fc.constantFrom(null, [], ["a"], ["b", "a"]),
    starts_at: fc.constantFrom(null, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"),
    expires_at: fc.constantFrom(null, "2027-01-01T00:00:00Z", "2028-01-01T00:00:00.000Z"),
    fallback_url: fc.constantFrom(null, "https://example.com/soon"),
    forward_query: fc.constantFrom(null, true, false),
    aliases: fc.constantFrom(
      null,
      [],
      [{ slug: "x" }],
      [
        { slug: "y", domain: "go.example" },
        { slug: "x", domain: DOMAIN },
      ],
      [{ slug: "x" }, { slug: "y", domain: "GO.example" }],
    ),
    redirect_status: fc.constantFrom(null, 301, 302),
    routing: fc.constantFrom(
      [],
      [{ if: { country: "DE", device: "mobile" }, to: "https://example.com/1" }],
      [{ if: { device: "mobile", country: "DE" }, to: "https://example.com/1" }],
      [{ if: { percent: 50 }, to: "https://example.com/2" }],
    ),
  },
  { requiredKeys: [] },
);
const url = fc.constantFrom("https://example.com/", "https://example.com/x");
const fileLinks = fc.uniqueArray(
  fc.tuple(fc.constantFrom("a", "b", "c", "D"), url, members).map(([slug, to, more]) => ({ slug, url: to, ...more })),
  { selector: ({ slug }) => slug },
);
const files = fc.record({ managed_by: fc.constantFrom(undefined, "website"), links: fileLinks });

/** The service's links afterwards. */
function applied(plan: Plan, links: readonly CurrentLink[]): CurrentLink[] {
  const asLink = ({ aliases, ...body }: { aliases?: CreateLink["aliases"] }) => ({
    ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
    ...(aliases && { aliases: aliases.map(({ slug, domain = DOMAIN }) => ({ slug, domain: domain.toLowerCase() })) }),
  });
  const changes = new Map(plan.change.map((change) => [change.current.id, change]));
  const gone = new Set(plan.prunes ? plan.missing.map(({ id }) => id) : []);
  const created = plan.create.map(({ link }) => currentLink(link.slug ?? "", asLink(link) as Partial<Link>));
  const kept = links.filter(({ id }) => !gone.has(id));
  return [...kept, ...created].map((link) => {
    const change = changes.get(link.id);
    return change ? currentLink(link.slug, asLink({ ...link, ...toUpdateLink(change) }) as Link) : link;
  });
}

test("once a plan is applied, the same file changes nothing, whichever links existed before", () => {
  fc.assert(
    fc.property(files, files, fc.boolean(), (before, after, prunes) => {
      const planned = (file: object, links: readonly CurrentLink[]) =>
        makePlan({ file: file as LinksFile, lines: [] }, situation(links), prunes);
      const first = applied(planned(before, []), []);
      const plan = planned(after, first);
      const second = planned(after, applied(plan, first));
      expect(isEmpty(second), JSON.stringify(second)).toBe(true);
      expect(second.unchanged).toBe(after.links.length);
    }),
  );
});
