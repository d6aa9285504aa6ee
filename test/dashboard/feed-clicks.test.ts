/** The live feed's list. */
import { describe, expect, test } from "vitest";
import {
  type FeedClick,
  feedClickFromEvent,
  feedFilter,
  mergeClicks,
  isTooFast,
  recentArrivals,
} from "../../src/dashboard/pages/link/live/feed-clicks.ts";

const click = (id: string): FeedClick => ({
  id,
  occurred_at: "2026-11-21T09:10:00.000Z",
  country: "DE",
  device: "mobile",
  referrer: "direct",
  rule: "default",
  destination: "https://example.com/",
  source: "link",
});

describe("9 the live feed", () => {
  test("shows the newest clicks first, each once, even if the stream repeats clicks", () => {
    const first = mergeClicks([], [click("1"), click("2")]);
    expect(mergeClicks(first, [click("2"), click("3")]).map(({ id }) => id)).toEqual(["3", "2", "1"]);
  });

  test("earlier clicks that arrive after later ones are below them", () => {
    const at = (id: string, seconds: number) => ({ ...click(id), occurred_at: `2026-11-21T09:10:0${seconds}.000Z` });
    const feed = mergeClicks([], [at("4", 4)]);
    expect(mergeClicks(feed, [at("2", 2), at("3", 3), at("4", 4)]).map(({ id }) => id)).toEqual(["4", "3", "2"]);
  });

  test("never longer than its limit", () => {
    const many = Array.from({ length: 150 }, (_, index) => click(String(index)));
    const feed = mergeClicks(mergeClicks([], many), [click("last")]);
    expect(feed.length).toBe(50);
    expect([feed[0]?.id, feed[1]?.id]).toEqual(["last", "149"]);
  });

  test("only the known fields of an event are read, and events that are not clicks are ignored", () => {
    const event = { ...click("evt_1"), type: "click", slug: "a", qr_id: null, later: "addition" };
    expect(feedClickFromEvent(JSON.stringify(event))).toEqual(click("evt_1"));
    expect([feedClickFromEvent("{"), feedClickFromEvent("null"), feedClickFromEvent('{"id":"evt_1"}')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("a click in an account's stream includes its link", () => {
    const event = { ...click("evt_1"), link_id: "lnk_1", short_url: "https://s.example/a" };
    expect(feedClickFromEvent(JSON.stringify(event))?.link).toEqual({ id: "lnk_1", name: "s.example/a" });
  });

  test("filters apply only to facts that stream events contain", () => {
    const linked = { ...click("1"), link: { id: "lnk_1", name: "a" } };
    expect(feedFilter({ country: ["FR", "DE"], link: ["lnk_1"] })?.(linked)).toBe(true);
    expect(feedFilter({ country: ["FR"], device: ["mobile"] })?.(linked)).toBe(false);
    expect(feedFilter({ link: ["lnk_1"] })?.(click("1"))).toBe(false);
    expect(feedFilter({ country: ["DE"], city: ["Berlin"] })).toBeNull();
  });
});

const arrive = (times: readonly number[]) =>
  times.reduce<number[]>((arrivals, now) => recentArrivals(arrivals, 1, now), []);

test("two clicks per second are readable, three are not", () => {
  expect(isTooFast(arrive([0, 500]))).toBe(false);
  expect(isTooFast(arrive([0, 500, 999]))).toBe(true);
  expect(isTooFast(arrive([0, 500, 1_000]))).toBe(false);
  expect(isTooFast(recentArrivals([], 3, 0))).toBe(true);
});

test("earlier arrivals are dropped", () => {
  expect(arrive(Array.from({ length: 100 }, (_, i) => i * 10))).toHaveLength(100);
  expect(arrive([...Array.from({ length: 100 }, (_, i) => i * 10), 5_000])).toEqual([5_000]);
});
