import { describe, expect, test } from "vitest";

import {
  saltDays,
  userAgentDigest,
  VisitorHashes,
  type VisitorOwner,
} from "../../../src/core/visitors/visitor-hashes.ts";
import { utcDay } from "../../../src/core/time.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAY = 20_000;
const OWNER: VisitorOwner = { accountId: "acc_1", mode: "live" };
const AGENT = userAgentDigest("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");

function saltOf(byte: number): Uint8Array {
  return new Uint8Array(16).fill(byte);
}

function hashesOf(...days: number[]): VisitorHashes {
  const hashes = new VisitorHashes();
  hashes.learn(days.map((day) => ({ day, salt: saltOf(day % 256) })));
  return hashes;
}

describe("14 a visitor's hash", () => {
  const hashes = hashesOf(DAY, DAY + 1);
  const hash = (change: { owner?: VisitorOwner; day?: number; network?: string; agent?: number } = {}) =>
    hashes.hash(change.owner ?? OWNER, change.day ?? DAY, change.network ?? "192.0.2.1", change.agent ?? AGENT);

  test("is 48 bits, the same for the same visitor", () => {
    expect(hash()).toBe(hash());
    expect(hash()).toBeGreaterThan(0);
    expect(hash()).toBeLessThan(2 ** 48);
  });

  test("differs by account, mode, day, network and User-Agent", () => {
    const all = [
      hash(),
      hash({ owner: { ...OWNER, accountId: "acc_2" } }),
      hash({ owner: { ...OWNER, mode: "test" } }),
      hash({ day: DAY + 1 }),
      hash({ network: "192.0.2.11" }),
      hash({ agent: userAgentDigest("curl/8") }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test("is null until the salt of the day is known, and keeps the first salt", () => {
    expect(hash({ day: DAY + 2 })).toBeNull();
    const before = hash();
    hashes.learn([{ day: DAY, salt: saltOf(7) }]);
    expect(hash()).toBe(before);
  });

  test("of many visitors does not collide", () => {
    const all = Array.from({ length: 20_000 }, (_, i) => hash({ network: `10.0.${i >> 8}.${i & 255}` }));
    expect(new Set(all).size).toBe(all.length);
  });
});

test("14 salts of past days are forgotten a few minutes after midnight", () => {
  const hashes = hashesOf(DAY, DAY + 1);
  const midnight = (DAY + 1) * DAY_MS;
  hashes.forget(midnight + 4 * MINUTE_MS);
  expect([hashes.has(DAY), hashes.has(DAY + 1)]).toEqual([true, true]);
  hashes.forget(midnight + 5 * MINUTE_MS);
  expect([hashes.has(DAY), hashes.has(DAY + 1)]).toEqual([false, true]);
});

test("salts are needed for today, tomorrow and, for a few minutes, yesterday", () => {
  const midnight = DAY * DAY_MS;
  expect(saltDays(midnight - 1)).toEqual([DAY - 1, DAY]);
  expect(saltDays(midnight)).toEqual([DAY - 1, DAY, DAY + 1]);
  expect(saltDays(midnight + 5 * MINUTE_MS - 1)).toEqual([DAY - 1, DAY, DAY + 1]);
  expect(saltDays(midnight + 5 * MINUTE_MS)).toEqual([DAY, DAY + 1]);
  expect([utcDay(midnight - 1), utcDay(midnight)]).toEqual([DAY - 1, DAY]);
});
