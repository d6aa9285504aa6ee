import { expect, test } from "vitest";

import {
  type ClickPlace,
  comparePlaces,
  parsePlace,
  placeText,
} from "../../../../src/core/clicks/protocol/account-object-rpc.ts";

const PLACE: ClickPlace = { at: Date.UTC(2026, 10, 21, 9, 10, 0, 5), linkId: "lnk_0z", seq: 7 };
const TEXT = "2026-11-21T09:10:00.005Z,lnk_0z,7";

test("a place is the time, link and number of a click", () => {
  expect([placeText(PLACE), parsePlace(TEXT)]).toEqual([TEXT, PLACE]);
  const last = { at: 0, linkId: `lnk_${"a".repeat(60)}`, seq: 100_000_000_000_000 };
  expect(parsePlace(placeText(last))).toEqual(last);
});

test.each([
  "2026-11-21T09:10:00Z,lnk_0z,7",
  "2026-13-21T09:10:00.005Z,lnk_0z,7",
  `${TEXT}0000000000000000`,
  `1${TEXT}`,
])("%j is not a place", (text) => {
  expect(parsePlace(text)).toBeNull();
});

test.each<[Partial<ClickPlace>, number]>([
  [{}, 0],
  [{ at: PLACE.at + 1, linkId: "lnk_00", seq: 1 }, -1],
  [{ at: PLACE.at - 1, linkId: "lnk_zz", seq: 9 }, 1],
  [{ linkId: "lnk_1", seq: 1 }, -1],
  [{ linkId: "lnk_0", seq: 9 }, 1],
  [{ seq: 10 }, -1],
  [{ seq: 6 }, 1],
])("places are in order of time, link and number: with %j, %i", (other, sign) => {
  expect(Math.sign(comparePlaces(PLACE, { ...PLACE, ...other }))).toBe(sign);
});
