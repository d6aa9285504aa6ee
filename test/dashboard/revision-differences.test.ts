/** The history of a link in the dashboard: differences between two versions, their clicks, and the address. */
import { describe, expect, test } from "vitest";

import { withParams } from "../../src/dashboard/formatting/search-params.ts";
import { clicksOfRevision } from "../../src/dashboard/pages/link/history/use-revisions.ts";
import { differencesOf, type RevisionContent } from "../../src/dashboard/pages/link/history/differences.ts";

const PLAIN: RevisionContent = { url: "https://example.com/", routing: [], expires_at: null };

const rule = (country: string, to = country.toLowerCase()) => ({ if: { country }, to: `https://example.com/${to}` });

function linesOf(from: Partial<RevisionContent>, to: Partial<RevisionContent>) {
  return differencesOf({ ...PLAIN, ...from }, { ...PLAIN, ...to }).map(({ member, lines }) => [
    member,
    ...lines.map(({ kind, text }) => `${kind}: ${text}`),
  ]);
}

describe("differences between versions", () => {
  test("equal versions have none", () => {
    expect(linesOf({ title: "T", tags: ["a"] }, { title: "T", tags: ["a"] })).toEqual([]);
  });

  test("single values: the old and the new one, including missing values", () => {
    expect(
      linesOf(
        { title: "T" },
        {
          url: "https://xn--mnchen-3ya.example/",
          forward_query: true,
          redirect_status: 301,
          social: { title: "Card" },
          disabled: true,
        },
      ),
    ).toEqual([
      ["url", "removed: https://example.com/", "added: https://münchen.example/"],
      ["title", "removed: T", "added: None"],
      ["forward_query", "removed: Not forwarded", "added: Forwarded"],
      ["redirect_status", "removed: 302", "added: 301"],
      ["social", "removed: None", "added: title: Card"],
      ["disabled", "removed: Enabled", "added: Disabled"],
    ]);
  });

  test("times use the browser's time zone", () => {
    const [[member, removed, added] = []] = linesOf({}, { expires_at: "2026-11-21T09:00:00.000Z" });
    expect([member, removed]).toEqual(["expires_at", "removed: Never"]);
    expect(added).toContain("2026");
  });

  test("tags: unchanged ones are listed as well", () => {
    expect(linesOf({ tags: ["a", "b", "c"] }, { tags: ["a", "c", "d"] })).toEqual([
      ["tags", "same: a", "removed: b", "same: c", "added: d"],
    ]);
    expect(linesOf({ tags: ["a"] }, {})).toEqual([["tags", "removed: a"]]);
  });

  test("aliases are shown with their domains", () => {
    const alias = (domain: string, slug: string) => ({ domain, slug, short_url: `https://${domain}/${slug}` });
    expect(
      linesOf(
        { aliases: [alias("go.example", "a"), alias("go.example", "b")] },
        { aliases: [alias("go.example", "b")] },
      ),
    ).toEqual([["aliases", "removed: go.example/a", "same: go.example/b"]]);
  });

  test("rules are sentences, and a rule with a new position is shown as moved", () => {
    expect(
      linesOf(
        { routing: [rule("DE"), rule("FR"), rule("US")] },
        { routing: [rule("FR"), rule("US", "new"), rule("DE")] },
      ),
    ).toEqual([
      [
        "routing",
        "same: Visitors from France go to https://example.com/fr",
        "removed: Visitors from the United States go to https://example.com/us",
        "added: Visitors from the United States go to https://example.com/new",
        "moved: Visitors from Germany go to https://example.com/de",
      ],
    ]);
  });

  test("rules with the same sentence are still compared by their content", () => {
    const long = (end: string) => ({ if: { query: { ref: `${"x".repeat(60)}${end}` } }, to: "https://example.com/" });
    expect(linesOf({ routing: [long("1")] }, { routing: [long("2")] })[0]).toHaveLength(3);
  });

  test("a hundred rules can be compared", () => {
    const rules = Array.from({ length: 100 }, (_, i) => rule("DE", String(i)));
    const [[, ...lines] = []] = linesOf({ routing: rules }, { routing: rules.toReversed() });
    expect(lines).toHaveLength(100);
  });
});

describe("clicks of a version", () => {
  const buckets = [
    { key: "1", clicks: 1 },
    { key: "2", clicks: 2 },
    { key: "3", clicks: 4 },
    { key: "12", clicks: 8 },
    { key: "other", clicks: 16 },
  ];

  test.each([
    [12, 3, 8],
    [3, 1, 6],
    [1, undefined, 1],
    [20, 12, 0],
  ])("%i after %o: %i", (revision, before, clicks) => {
    expect(clicksOfRevision(buckets, { revision }, before === undefined ? undefined : { revision: before })).toBe(
      clicks,
    );
  });
});

test("the address keeps parameters of other parts of the page", () => {
  const search = new URLSearchParams("tab=history&range=week&version=3&against=1");
  expect(String(withParams(search, { version: "4", against: "2" }))).toBe("tab=history&range=week&version=4&against=2");
  expect(String(withParams(search, { version: null, against: null }))).toBe("tab=history&range=week");
});
