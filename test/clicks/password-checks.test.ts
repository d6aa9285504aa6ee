/** How many passwords a link's object checks. Real hashes take 10 ms, so most of them are replaced by a counter. */
import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";

import { passwordRecord } from "../../src/core/links/link-password.ts";
import { PASSWORD_ATTEMPTS_MAX } from "../../src/clicks/password-checks.ts";
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import { checkPassword, readPasswordLock } from "../../src/store/link-object-client.ts";
import { freezeClockAt } from "../support/clock.ts";

const NOW = Date.UTC(2026, 6, 1);
const MINUTE_MS = 60_000;

const record = await passwordRecord(env, "right password", new Uint8Array(16));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

let links = 0;

function newLink(): Pick<LinkSnapshot, "id" | "domain" | "slug"> {
  return { id: `lnk_guessed${++links}`, domain: "guesses.example", slug: `guessed-${links}` };
}

function countHashes() {
  return vi.spyOn(crypto.subtle, "deriveBits").mockImplementation(async () => new ArrayBuffer(32));
}

type Link = ReturnType<typeof newLink>;

function objectOf({ domain, slug }: Link) {
  return env.LINK_CLICKS.getByName(`${domain}/${slug}`);
}

function wrongFrom(network: string) {
  return { password: "wrong password", network, record, revision: 1 };
}

async function guess(link: Link, network: string, password = "wrong password"): Promise<string> {
  const result = await checkPassword(env, link, { ...wrongFrom(network), password });
  return result.kind === "locked" ? `locked ${result.seconds}` : result.kind;
}

test("17 of 10,000 guesses from 1,000 networks, 100 are checked in ten minutes", async () => {
  const hashes = countHashes();
  freezeClockAt(NOW);
  const link = newLink();
  const results = await runInDurableObject(objectOf(link), async (object) => {
    const all = [];
    for (let sent = 0; sent < 10_000; sent += 20) {
      const networks = Array.from({ length: 20 }, (_, i) => `network ${(sent + i) % 1_000}`);
      all.push(...(await Promise.all(networks.map((network) => object.checkPassword(wrongFrom(network))))));
    }
    return all;
  });
  expect(results.filter(({ kind }) => kind === "wrong")).toHaveLength(100);
  expect(results.filter((result) => result.kind === "locked" && result.seconds === 600)).toHaveLength(9_900);
  expect(hashes).toHaveBeenCalledTimes(PASSWORD_ATTEMPTS_MAX.link);
  // The refused guesses have not prolonged the lock.
  expect(await readPasswordLock(env, link, {})).toEqual({ kind: "password_lock", until: NOW + 10 * MINUTE_MS });
  freezeClockAt(NOW + 10 * MINUTE_MS);
  expect(await guess(link, "network 0")).toBe("wrong");
  expect(await readPasswordLock(env, link, {})).toEqual({ kind: "password_lock", until: null });
});

test("17 10 are checked for each network in any ten minutes, even if the object restarts", async () => {
  const hashes = countHashes();
  const link = newLink();
  for (let minute = 0; minute < 10; minute++) {
    freezeClockAt(NOW + minute * MINUTE_MS);
    expect(await guess(link, "one")).toBe("wrong");
    if (minute === 4) await evictDurableObject(objectOf(link));
  }
  expect(await guess(link, "one")).toBe("locked 60");
  expect(await guess(link, "other")).toBe("wrong");
  freezeClockAt(NOW + 10 * MINUTE_MS);
  expect(await guess(link, "one")).toBe("wrong");
  expect(await guess(link, "one")).toBe("locked 60");
  expect(hashes).toHaveBeenCalledTimes(12);
});

test("17 right passwords are not counted, however many arrive together, and are refused while locked", async () => {
  const link = newLink();
  const right = Array.from({ length: 15 }, () => guess(link, "one", "right password"));
  expect(new Set(await Promise.all(right))).toEqual(new Set(["right"]));
  countHashes();
  for (let guesses = 0; guesses < 10; guesses++) expect(await guess(link, "one")).toBe("wrong");
  vi.restoreAllMocks();
  expect(await guess(link, "one", "right password")).toMatch(/^locked/);
  expect(await guess(link, "other", "right password")).toBe("right");
});

test("17 the object checks by the newest revision that it knows", async () => {
  const link = newLink();
  const newer = {
    ...link,
    accountId: "acc_guessed",
    mode: "live",
    origin: "api",
    url: "https://example.com/",
    routing: [],
    expiresAt: null,
    revision: 2,
    state: "active",
    qrKey: "",
    password: await passwordRecord(env, "new password", new Uint8Array(16).fill(1)),
  } as const satisfies LinkSnapshot;
  await objectOf(link).learn(newer);
  expect(await guess(link, "one", "right password")).toBe("wrong");
  expect(await guess(link, "one", "new password")).toBe("right");
});

test("17 of passwords that arrive together, 20 wait, and the others are asked to try again", async () => {
  const link = newLink();
  const results = await runInDurableObject(objectOf(link), (object) =>
    Promise.all(
      Array.from({ length: 30 }, () => object.checkPassword({ ...wrongFrom("one"), password: "right password" })),
    ),
  );
  expect(results).toEqual([
    ...Array(20).fill({ kind: "right" }),
    ...Array(10).fill({ kind: "locked", seconds: 1, isBusy: true }),
  ]);
  expect(await guess(link, "one", "right password")).toBe("right");
});
