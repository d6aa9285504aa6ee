import { expect, test } from "vitest";

import {
  isDefaultPeekOff,
  type LocationHint,
  regionOf,
  suspensionText,
} from "../../../src/core/deployment/settings.ts";

test("a + after a slug is answered unless the setting has another value", () => {
  expect([{}, { PEEK: "" }, { PEEK: "on" }].some(isDefaultPeekOff)).toBe(false);
  expect([{ PEEK: "off" }, { PEEK: "ON" }, { PEEK: " " }].every(isDefaultPeekOff)).toBe(true);
});

test.each<[string | undefined, LocationHint | undefined, LocationHint | null]>([
  [undefined, undefined, null],
  ["weur", undefined, "weur"],
  ["WEUR", undefined, null],
  // Databases cannot be there.
  ["sam", undefined, null],
  [undefined, "sam", "sam"],
  ["weur", "afr", "afr"],
  ["europe", "me", "me"],
])("in the region %s, near %s, objects are created in %s", (REGION, near, hint) => {
  expect(regionOf({ ...(REGION && { REGION }) }, near)).toEqual(hint ? { locationHint: hint } : undefined);
});

test.each([
  [{}, "This account is suspended."],
  [{ ABUSE_CONTACT: "neither" }, "This account is suspended."],
  [{ ABUSE_CONTACT: " abuse@hop.example " }, "This account is suspended. Contact abuse@hop.example."],
])("the owner of a suspended account reads, with %j: %s", (settings, text) => {
  expect(suspensionText(settings)).toBe(text);
});
