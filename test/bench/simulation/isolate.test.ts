import { describe, expect, test } from "vitest";

import { newLinkCache, SimulatedSender, visitCache } from "./isolate.ts";
import { USUAL_TRAFFIC } from "./traffic.ts";

test("a link is read on its first visit, refreshed by a visit from its fifth second on, and read again after ten", () => {
  const cache = newLinkCache();
  const at = [0, 4_999, 5_000, 9_999, 10_000, 14_000, 20_000, 40_000];
  expect(at.map((now) => visitCache(cache, 1, now, USUAL_TRAFFIC))).toEqual([
    "cold",
    "hit",
    "refreshed",
    "hit",
    "refreshed",
    "hit",
    "cold",
    "cold",
  ]);
});

test("a full cache drops links that are not visited", () => {
  const cache = newLinkCache();
  for (let rank = 1; rank <= 100_000; rank++) visitCache(cache, rank, 0, USUAL_TRAFFIC);
  expect(visitCache(cache, 100_000, 1, USUAL_TRAFFIC)).toBe("hit");
  expect(visitCache(cache, 1, 1, USUAL_TRAFFIC)).toBe("cold");
});

describe("an isolate's calls to a link's object", () => {
  const callsAt = (clicks: number[], otherLinks = 0) => {
    const calls: number[] = [];
    const sender = new SimulatedSender((rank, at) => rank === 1 && calls.push(at));
    for (const at of clicks) sender.click(1, at, 90);
    for (let rank = 2; rank <= otherLinks; rank++) sender.click(rank, 10_000, 90);
    return calls;
  };

  test("a single click is sent immediately", () => {
    expect(callsAt([10, 200, 400])).toEqual([10, 200, 400]);
  });

  test("clicks that arrive before the next call may be made are sent with it", () => {
    expect(callsAt([10, 20, 99, 400])).toEqual([10, 100, 400]);
  });

  test("a click soon after such a call waits for the next one", () => {
    expect(callsAt([10, 20, 150, 400])).toEqual([10, 100, 190, 400]);
  });

  test("clicks of a link that is no longer visited are sent as well", () => {
    expect(callsAt([10, 20], 2_000)).toEqual([10, 100]);
  });
});
