import { createHmac, pbkdf2Sync } from "node:crypto";
import { describe, expect, test } from "vitest";

import {
  isPasswordOf,
  isUnlockedBy,
  passwordKey,
  passwordRecord,
  unlockingCookie,
} from "../../../src/core/links/link-password.ts";

const SECRET = { BETTER_AUTH_SECRET: "the secret of a deployment" };
const OTHER_SECRET = { BETTER_AUTH_SECRET: "the secret of another" };
const SALT = "000f1e2d3c4b5a69788796a5b4c3d2e1";

/** Computed independently: stored records and sent cookies must stay valid in later releases. */
function digest(purpose: string, message: string | Uint8Array): string {
  const key = createHmac("sha256", SECRET.BETTER_AUTH_SECRET).update(`derived key: ${purpose}`).digest();
  return createHmac("sha256", key).update(message).digest("hex");
}

const KEY = digest("link-password-key", "").slice(0, 8);

function recordOf(password: string, rounds = 2): string {
  const hash = digest("link-password", pbkdf2Sync(password, SALT, rounds, 32, "sha256"));
  return `1.${KEY}.${rounds}.${SALT}.${hash}`;
}

const RECORD = recordOf("Größe 1");
const withLastDigitChanged = (text: string) => text.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));

test("the record of a password names its secret, and has 100,000 rounds", async () => {
  const salt = Uint8Array.from({ length: 16 }, (_, i) => 15 * i);
  expect(await passwordRecord(SECRET, "Größe 1", salt)).toBe(recordOf("Größe 1", 100_000));
  expect(await passwordKey(SECRET)).toBe(KEY);
  expect(await passwordKey(OTHER_SECRET)).not.toBe(KEY);
  expect(await isPasswordOf(OTHER_SECRET, RECORD, "Größe 1")).toBe(false);
  await expect(passwordKey({ BETTER_AUTH_SECRET: "" })).rejects.toThrow("BETTER_AUTH_SECRET is not set");
});

test.each([
  ["the password", RECORD, "Größe 1", true],
  ["accents as separate characters", RECORD, "Größe 1".normalize("NFD"), true],
  ["another case", RECORD, "größe 1", false],
  ["one round", recordOf("Größe 1", 1), "Größe 1", true],
  ["no rounds", RECORD.replace(".2.", ".0."), "Größe 1", false],
  ["most rounds", recordOf("Größe 1", 100_000), "Größe 1", true],
  ["a round too many", recordOf("Größe 1", 100_001), "Größe 1", false],
  ["another salt", RECORD.replace(".000f", ".010f"), "Größe 1", false],
  ["a record of another secret", RECORD.replace(KEY, "00000000"), "Größe 1", false],
  ["another hash", withLastDigitChanged(RECORD), "Größe 1", false],
  ["a form of a later release", RECORD.replace("1.", "2."), "Größe 1", false],
  ["no record", "", "", false],
])("a record is of a password: %s", async (_name, record, password, expected) => {
  expect(await isPasswordOf(SECRET, record, password)).toBe(expected);
});

describe("the cookie of visitors who have sent a link's password", () => {
  const LINK = { id: "lnk_1", password: RECORD };
  /** In seconds. */
  const END = 1_800_003_600;
  const NOW = 1_800_000_000_999;
  const cookieOf = (end: number, id = "lnk_1", salt = SALT) =>
    `hoplink_lnk_1=${end}.${digest("link-password-cookie", `${id}.${salt}.${end}`)}`;
  const COOKIE = cookieOf(END);
  const WRONG = "hoplink_lnk_1=x; ";

  test("is for an hour, the visited path, and TLS if it was used", async () => {
    const attributes = "Max-Age=3600; Path=/a/b; HttpOnly; SameSite=Lax";
    const headerWith = (isSecure: boolean) => unlockingCookie(SECRET, LINK, { path: "/a/b", isSecure, now: NOW });
    expect(await headerWith(false)).toBe(`${COOKIE}; ${attributes}`);
    expect(await headerWith(true)).toBe(`${COOKIE}; ${attributes}; Secure`);
  });

  test.each([
    ["among others", `a=b; ${COOKIE};c=d`, true],
    ["without a space", `a=b;${COOKIE}`, true],
    ["after three others of its name", WRONG.repeat(3) + COOKIE, true],
    ["after four others of its name", WRONG.repeat(4) + COOKIE, false],
    ["none", "", false],
    ["in the value of another", `a=${COOKIE}`, false],
    ["of another link", cookieOf(END, "lnk_2"), false],
    ["of an earlier password", cookieOf(END, "lnk_1", SALT.replace("0f", "1f")), false],
    ["with a later end", COOKIE.replace(`${END}`, `${END + 1}`), false],
    ["with another signature", withLastDigitChanged(COOKIE), false],
    ["with an end of eleven digits", cookieOf(10 * END), false],
  ])("%s", async (_name, cookies, expected) => {
    expect(await isUnlockedBy(SECRET, LINK, cookies, NOW)).toBe(expected);
  });

  test("ends in time, and with another secret", async () => {
    expect(await isUnlockedBy(SECRET, LINK, COOKIE, END * 1_000 - 1)).toBe(true);
    expect(await isUnlockedBy(SECRET, LINK, COOKIE, END * 1_000)).toBe(false);
    expect(await isUnlockedBy(OTHER_SECRET, LINK, COOKIE, NOW)).toBe(false);
  });
});
