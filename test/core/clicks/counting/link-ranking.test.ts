/** Links by clicks, in pages, compared with a sorted list. */
import { expect, test } from "vitest";

import type { LinkClickCount } from "../../../../src/core/clicks/protocol/account-object-rpc.ts";
import { LinkRanking } from "../../../../src/core/clicks/counting/link-ranking.ts";
import { numberTallyOf } from "../../../../src/core/clicks/counting/tally.ts";
import { randomInteger, seededRandom } from "../../../support/seeded-random.ts";

function rankingOf(links: readonly LinkClickCount[]): LinkRanking {
  const numbers = links.map((_, i) => 3 * i + 1);
  const human = links.map(({ clicks }) => clicks);
  const tally = numberTallyOf(
    numbers,
    human,
    human.map(() => 1),
  );
  return new LinkRanking(tally, {
    textOf: (number) => links[(number - 1) / 3]?.id ?? "",
    find: (id) => {
      const index = links.findIndex((link) => link.id === id);
      return index < 0 ? null : 3 * index + 1;
    },
  });
}

const sorted = (links: readonly LinkClickCount[]) =>
  links
    .filter(({ clicks }) => clicks > 0)
    .toSorted((one, other) => other.clicks - one.clicks || (one.id < other.id ? 1 : -1));

test.each([1, 2, 3, 4, 5, 6])("12 pages of any size equal the sorted list, chance %i", (seed) => {
  const random = seededRandom(seed);
  // Few different counts, so that many links have the same number of clicks.
  const links = Array.from({ length: 1 + randomInteger(random, 300) }, (_, i) => ({
    id: `lnk_${randomInteger(random, 1_000_000)}_${i}`,
    clicks: randomInteger(random, seed * 2),
  }));
  const ranking = rankingOf(links);
  for (const limit of [1, 2, 7, 50, 299, 300, 1_000]) {
    const found: LinkClickCount[] = [];
    for (let after: LinkClickCount | null = null, hasMore = true; hasMore;) {
      const page = ranking.page(after, limit);
      expect(page.links.length).toBeLessThanOrEqual(limit);
      found.push(...page.links);
      ({ hasMore } = page);
      after = page.links.at(-1) ?? null;
    }
    expect(found).toEqual(sorted(links));
  }
  for (const { id, clicks } of links) expect(ranking.has(id)).toBe(clicks > 0);
  expect(ranking.has("lnk_none")).toBe(false);
});

test("12 a page can begin after a place without a link", () => {
  const ranking = rankingOf([
    { id: "a", clicks: 5 },
    { id: "c", clicks: 5 },
    { id: "b", clicks: 2 },
  ]);
  expect(ranking.page({ id: "b", clicks: 5 }, 1)).toEqual({ links: [{ id: "a", clicks: 5 }], hasMore: true });
  expect(ranking.page({ id: "~", clicks: 4 }, 1)).toEqual({ links: [{ id: "b", clicks: 2 }], hasMore: false });
  expect(ranking.page({ id: "a", clicks: 1 }, 1)).toEqual({ links: [], hasMore: false });
});

test("12 the ids of links with equal clicks are looked up once for all their pages, and few for each", () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => i + 1);
  let lookedUp = 0;
  const ids = { textOf: (number: number) => (lookedUp++, String(10_000_000 + number)), find: () => null };
  const ranking = new LinkRanking(
    numberTallyOf(
      numbers,
      numbers.map(() => 1),
      [],
    ),
    ids,
  );
  let pages = 0;
  for (let after: LinkClickCount | null = null, hasMore = true; hasMore; pages++) {
    const page = ranking.page(after, 200);
    after = page.links.at(-1) ?? null;
    ({ hasMore } = page);
  }
  expect(pages).toBe(100);
  expect(lookedUp).toBeLessThan(20_000 + pages * 250);
});

test("12 a page of a million links takes a moment and looks up few ids", () => {
  const numbers = Array.from({ length: 1_000_000 }, (_, i) => i + 1);
  const human = numbers.map((number) => (number * 7_919) % 999_983);
  let lookedUp = 0;
  const ranking = new LinkRanking(numberTallyOf(numbers, human, []), {
    textOf: (number) => {
      lookedUp++;
      return String(number);
    },
    find: () => null,
  });
  const started = performance.now();
  expect(ranking.page({ id: "~", clicks: 500_000 }, 200).links).toHaveLength(200);
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(lookedUp).toBeLessThan(300);
});
