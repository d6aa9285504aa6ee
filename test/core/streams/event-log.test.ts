import { describe, expect, test } from "vitest";

import {
  boundedPage,
  clickFrame,
  erasedEvent,
  eventPage,
  feedName,
  gapFrame,
  loggedEvent,
  packEvents,
  parseCursor,
  readyFrame,
  unpackEvents,
} from "../../../src/core/streams/event-log.ts";

const AT = Date.parse("2026-11-21T09:00:00.000Z");

describe("cursors", () => {
  test.each([
    [{ position: 0, at: 0 }, "acc-live-0-0"],
    [{ position: 35, at: 36 }, "acc-live-z-10"],
    [{ position: 1_000_000, at: AT }, "acc-live-lfls-mwq6g800"],
    [{ position: 3_656_158_440_062_975, at: AT }, "acc-live-zzzzzzzzzz-mwq6g800"],
  ])("%j is %s", (cursor, text) => {
    expect(readyFrame("acc-live", cursor)).toBe(`id: ${text}\nevent: ready\ndata: {}\n\n`);
    expect(parseCursor("acc-live", text)).toEqual(cursor);
  });

  test.each([
    ["of another log", "acc-test-0-0"],
    ["of a log whose name begins the same", "acc-live2-0-0"],
    ["of a log of the same length", "xcc-live-0-0"],
    ["without a log", "0-0"],
    ["empty", ""],
    ["a name only", "acc-live-"],
    ["without a time", "acc-live-0"],
    ["without a time, with the dash", "acc-live-0-"],
    ["without a position", "acc-live--0"],
    ["with an additional part", "acc-live-0-0-0"],
    ["with a space", "acc-live-0-0 "],
    ["with a line before", "acc-live-\n0-0"],
    ["in upper case", "acc-live-A-0"],
    ["with a leading zero", "acc-live-01-0"],
    ["with a leading zero in the time", "acc-live-1-00"],
    ["a position of eleven digits", "acc-live-10000000000-0"],
    ["a time of eleven digits", "acc-live-0-10000000000"],
    ["a negative position", "acc-live--1-0"],
    ["a fraction", "acc-live-1.5-0"],
  ])("%s is not a cursor", (_name, text) => {
    expect(parseCursor("acc-live", text)).toBeNull();
  });
});

test("a feed is named by account and mode", () => {
  expect([feedName("acc_1", "live"), feedName("acc_1", "test")]).toEqual(["acc_1-live", "acc_1-test"]);
});

describe("pages", () => {
  const events = (count: number, chars: number) =>
    Array.from({ length: count }, (_, i) => ({ at: AT + i, human: true, data: "x".repeat(chars) }));

  test.each([
    [0, 10, 0],
    [255, 10, 255],
    [256, 640, 256],
    [257, 10, 256],
    [256, 641, 255],
    [3, 80 * 1024, 2],
    [3, 160 * 1024, 1],
    [3, 200 * 1024, 1],
  ])("of %i events with %i characters, %i fit into one", (count, chars, taken) => {
    const all = events(count, chars);
    expect(eventPage(all)).toEqual(all.slice(0, taken));
  });
});

describe("events as text", () => {
  test("a click is stored as JSON", () => {
    const click = { id: "evt_1", country: null } as unknown as Parameters<typeof loggedEvent>[2];
    expect(loggedEvent(AT, true, click, "api")).toEqual({ at: AT, human: true, data: '{"id":"evt_1","country":null}' });
    expect(loggedEvent(AT, false, click, "api")).toMatchObject({ human: false });
    expect(loggedEvent(AT, true, click, "dashboard")).toMatchObject({ human: true, ofDashboard: true });
  });

  test("an erased one keeps only a time", () => {
    expect(erasedEvent(AT)).toEqual({ at: AT, human: false, data: "" });
  });

  test.each([
    [[{ at: AT, human: true, data: '{"city":"New York"}' }], 'hmwq6g800 {"city":"New York"}'],
    [
      [
        { at: 0, human: false, data: "{}" },
        { at: 36, human: true, data: "a b" },
        { at: 1, human: false, data: "" },
        { at: 2, human: true, ofDashboard: true as const, data: "c" },
        { at: 3, human: false, ofDashboard: true as const, data: "d" },
      ],
      "b0 {}\nh10 a b\nb1 \nH2 c\nB3 d",
    ],
  ])("%j", (events, text) => {
    expect(packEvents(events)).toBe(text);
    expect(unpackEvents(text)).toEqual(events);
  });
});

test("events on the wire", () => {
  const click = { at: AT, human: true, data: '{"id":"evt_1"}' };
  expect(clickFrame("acc-live", click, 7)).toBe('id: acc-live-7-mwq6g800\nevent: click\ndata: {"id":"evt_1"}\n\n');
  expect(readyFrame("acc-live", { position: 7, at: AT })).toBe("id: acc-live-7-mwq6g800\nevent: ready\ndata: {}\n\n");
  expect(gapFrame("acc-live", AT - 60_000, { position: 7, at: AT })).toBe(
    'id: acc-live-7-mwq6g800\nevent: gap\ndata: {"from":"2026-11-21T08:59:00.000Z","to":"2026-11-21T09:00:00.000Z"}\n\n',
  );
});

test.each<[string, number[], number[]]>([
  ["nothing", [], []],
  ["the items that fit", [1, 2], [1, 2]],
  ["the maximum number", [1, 1, 1, 1], [1, 1, 1]],
  ["the maximum weight", [4, 6, 1], [4, 6]],
  ["less, if the next would weigh too much", [4, 7, 1], [4]],
  ["a single one that weighs too much", [11, 1], [11]],
  ["no item with weight after one of the maximum weight", [10, 1], [10]],
  ["additional items without weight", [10, 0, 0, 0], [10, 0, 0]],
])("a page of three items and weight ten holds %s", (_name, items, page) => {
  expect(boundedPage(items, { items: 3, weight: 10 }, (weight) => weight)).toEqual(page);
});

test("no item is read after the last of a page", () => {
  let asked = 0;
  const items = function* () {
    for (;;) yield asked++;
  };
  expect(boundedPage(items(), { items: 3, weight: 10 }, () => 1)).toEqual([0, 1, 2]);
  expect(asked).toBe(3);
});
