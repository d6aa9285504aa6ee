import { crc32 } from "node:zlib";

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { MODES } from "../../src/core/account.ts";
import { constantTimeEqual, KEY_RANDOM_WORDS, newApiKey, parseApiKey, redactKeys } from "../../src/core/identifiers.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const mode = fc.constantFrom(...MODES);
const words = fc.uint32Array({ minLength: KEY_RANDOM_WORDS, maxLength: KEY_RANDOM_WORDS });

/** CRC-32 of a text in six digits of base 62, computed independently. */
function checksum(text: string): string {
  let [digits, rest] = ["", BigInt(crc32(text))];
  for (let i = 0; i < 6; i++, rest /= 62n) digits = BASE62.charAt(Number(rest % 62n)) + digits;
  return digits;
}

function sealed(body: string): string {
  return body + checksum(body);
}

describe("3 the format of a key", () => {
  test("property: svc_<mode>_, id (8), secret (32), checksum (6) by zlib's CRC-32", () => {
    fc.assert(
      fc.property(mode, words, (wanted, random) => {
        const { text, id, secret } = newApiKey(wanted, random);
        expect(text).toMatch(new RegExp(`^svc_${wanted}_[0-9A-Za-z]{46}$`));
        expect([id.length, secret.length]).toEqual([8, 32]);
        expect(text).toBe(sealed(`svc_${wanted}_${id}${secret}`));
        expect(parseApiKey(text)).toEqual({ mode: wanted, id, secret });
      }),
    );
  });

  test("live and test keys are distinguished by their prefix", () => {
    const random = new Uint32Array(KEY_RANDOM_WORDS).fill(7);
    expect(newApiKey("live", random).text.startsWith("svc_live_")).toBe(true);
    expect(newApiKey("test", random).text.startsWith("svc_test_")).toBe(true);
  });

  test.each([
    [0, "0".repeat(40)],
    [0xffffffff, "z".repeat(40)],
  ])("random numbers all %i", (word, drawn) => {
    const { id, secret } = newApiKey("live", new Uint32Array(KEY_RANDOM_WORDS).fill(word));
    expect(id + secret).toBe(drawn);
  });

  test("every random number affects the key", () => {
    for (let i = 0; i < KEY_RANDOM_WORDS; i++) {
      const random = new Uint32Array(KEY_RANDOM_WORDS);
      random[i] = 0xffffffff;
      const { id, secret } = newApiKey("live", random);
      expect((id + secret).indexOf("z")).toBe(i);
    }
  });

  test("a checksum with leading zeros keeps its six digits", () => {
    const bodies = Array.from({ length: 5_000 }, (_, i) => `svc_live_${String(i).padStart(40, "0")}`);
    const short = bodies.filter((body) => checksum(body).startsWith("00"));
    expect(short.length).toBeGreaterThan(0);
    for (const body of short) expect(parseApiKey(sealed(body))).not.toBeNull();
  });
});

describe("3 malformed and mistyped keys are refused", () => {
  const KEY = newApiKey("live", new Uint32Array(Array.from({ length: KEY_RANDOM_WORDS }, (_, i) => i * 97_531_337)));

  test("each single letter changed, at any position and to any other", () => {
    const letters = `${BASE62}_-. `;
    for (let i = 0; i < KEY.text.length; i++) {
      for (const letter of letters) {
        if (letter === KEY.text[i]) continue;
        const slip = KEY.text.slice(0, i) + letter + KEY.text.slice(i + 1);
        expect({ slip, parsed: parseApiKey(slip) }).toEqual({ slip, parsed: null });
      }
    }
  });

  test("two adjacent characters swapped", () => {
    for (let i = 0; i + 1 < KEY.text.length; i++) {
      const slip = KEY.text.slice(0, i) + KEY.text[i + 1] + KEY.text[i] + KEY.text.slice(i + 2);
      if (slip !== KEY.text) expect(parseApiKey(slip)).toBeNull();
    }
  });

  test.each([
    ["nothing", ""],
    ["too short", KEY.text.slice(0, -1)],
    ["too long", `${KEY.text}0`],
    ["a leading space", ` ${KEY.text}`],
    ["a trailing line end", `${KEY.text}\n`],
    ["the other mode", KEY.text.replace("live", "test")],
    ["upper case", KEY.text.toUpperCase()],
    ["two keys", KEY.text + KEY.text],
    ["without its prefix", KEY.text.slice(4)],
  ])("%s", (_name, text) => {
    expect(parseApiKey(text)).toBeNull();
  });

  test.each([
    ["another mode", `svc_prod_${"a".repeat(40)}`],
    ["another prefix", `sk_live_${"a".repeat(40)}`],
    ["a shorter secret", `svc_live_${"a".repeat(39)}`],
    ["a longer secret", `svc_live_${"a".repeat(41)}`],
    ["other letters", `svc_live_${"-".repeat(40)}`],
  ])("%s, though the checksum is right", (_name, body) => {
    expect(parseApiKey(sealed(`svc_live_${"a".repeat(40)}`))).not.toBeNull();
    expect(parseApiKey(sealed(body))).toBeNull();
  });

  test("property: no random text is a key", () => {
    const likely = fc.string({ unit: fc.constantFrom(...BASE62), minLength: 46, maxLength: 46 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          likely.map((rest) => `svc_live_${rest}`),
        ),
        (text) => {
          expect(parseApiKey(text)).toBeNull();
        },
      ),
    );
  });
});

describe("3 digests", () => {
  test.each<[number[], number[], boolean]>([
    [[], [], true],
    [[1, 2, 3], [1, 2, 3], true],
    [[1, 2, 3], [1, 2, 4], false],
    [[0, 2, 3], [1, 2, 3], false],
    [[1, 2, 3], [3, 2, 1], false],
    [[1, 2], [1, 2, 0], false],
    [[1, 2, 0], [1, 2], false],
    [[0], [128], false],
    [[], [0], false],
  ])("%j and %j are equal: %s", (one, other, areEqual) => {
    expect(constantTimeEqual(Uint8Array.from(one), Uint8Array.from(other))).toBe(areEqual);
  });
});

describe("3 texts that may hold a key", () => {
  const { text: key } = newApiKey("live", new Uint32Array(KEY_RANDOM_WORDS).fill(7));

  test.each([
    [key, "svc_live_…"],
    [`Bearer ${key}.`, "Bearer svc_live_…."],
    [`${key} and svc_test_abc, svc_live_`, "svc_live_… and svc_test_…, svc_live_…"],
    ["?key=svc%5Flive%5fabc%20def&a=b", "?key=svc_live_…&a=b"],
    ["SVC_TEST_abc", "svc_TEST_…"],
    ["svc_prod_abc", "svc_prod_abc"],
    ["nothing", "nothing"],
    ["", ""],
  ])("%j becomes %j", (text, told) => {
    expect(redactKeys(text)).toBe(told);
  });
});
