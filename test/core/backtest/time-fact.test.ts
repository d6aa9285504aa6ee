/** Time zones in rules that are tried on many clicks. */
import { describe, expect, onTestFinished, test } from "vitest";

import { TimeFact, ZoneOffsets } from "../../../src/core/backtest/time-fact.ts";
import type { ScannedClicks } from "../../../src/core/clicks/counting/scanned-clicks.ts";
import { offsetAt } from "../../../src/core/time.ts";
import { randomInteger, seededRandom } from "../../support/seeded-random.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const ZONES = Intl.supportedValuesOf("timeZone");

describe("offsets of a time zone", () => {
  test.each(["Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "America/St_Johns", "Asia/Gaza", "UTC"])(
    "are those of each instant in %s, one after the other and at random",
    (zone) => {
      const chance = seededRandom(7);
      const offsets = new ZoneOffsets(zone);
      const start = Date.UTC(2024, 0, 1);
      for (let at = start; at < start + 800 * DAY_MS; at += 1 + randomInteger(chance, 12 * 3_600_000)) {
        expect([at, offsets.at(at)]).toEqual([at, offsetAt(zone, at)]);
      }
      for (let i = 0; i < 200; i++) {
        const at = randomInteger(chance, 2 ** 41) - DAY_MS;
        expect([at, offsets.at(at)]).toEqual([at, offsetAt(zone, at)]);
      }
    },
  );
});

test("rules in a hundred time zones load the data of each once, not for each quarter of an hour", () => {
  const routing = ZONES.slice(0, 100).map((tz) => ({
    if: { time: { tz, from: "09:01" } },
    to: "https://example.com/",
  }));
  const visits = Array.from({ length: 2_000 }, (_, i) => Date.UTC(2026, 5, 2) + i * MINUTE_MS);
  const fact = new TimeFact(routing);
  let opened = 0;
  const { DateTimeFormat } = Intl;
  onTestFinished(() => void Object.assign(Intl, { DateTimeFormat }));
  class CountedFormat extends DateTimeFormat {
    constructor(...of: ConstructorParameters<typeof DateTimeFormat>) {
      super(...of);
      opened++;
    }
  }
  Object.assign(Intl, { DateTimeFormat: CountedFormat });
  fact.read(
    { times: () => visits, numbers: () => null } as unknown as ScannedClicks,
    Uint16Array.from(visits, (_, i) => i),
    new Uint32Array(visits.length),
  );
  expect(opened).toBeGreaterThan(0);
  expect(opened).toBeLessThanOrEqual(routing.length);
});
