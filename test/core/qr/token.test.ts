/** Decision 8: a token is valid only if it belongs to the link. */
import { describe, expect, test } from "vitest";

import { scanUrl, newQrId, qrKeyOf, QR_ID_RANDOM_WORDS, readScan } from "../../../src/core/qr/token.ts";

const KEY = qrKeyOf(Uint8Array.from({ length: 16 }, (_, i) => i));
const OTHER = qrKeyOf(Uint8Array.from({ length: 16 }, (_, i) => 15 - i));
const AT = Date.parse("2026-11-21T09:00:00Z");

function idFor(key: string, at = AT): string {
  return newQrId(key, at, crypto.getRandomValues(new Uint32Array(QR_ID_RANDOM_WORDS)));
}

describe("ids", () => {
  test("sort by time, differ, and appear in the URL", () => {
    const ids = [idFor(KEY, AT), idFor(KEY, AT + 1), idFor(KEY, AT + 86_400_000)];
    expect([...ids].sort()).toEqual(ids);
    // With 30 random bits, two of a thousand in one ms are equal once in two thousand runs.
    expect(new Set(Array.from({ length: 20 }, () => idFor(KEY))).size).toBe(20);
    expect(idFor(KEY)).toMatch(/^qr_[0-9a-z]{26}$/);
    expect(scanUrl("https://hop.example/a", "qr_0123")).toBe("https://hop.example/a?qr=0123");
  });
});

test("a printed id stays readable permanently", () => {
  const id = newQrId(
    KEY,
    AT,
    Uint32Array.from([0x12345678, 0x9abcdef0, 0x0fedcba9, 0x87654321, 0xdeadbeef, 0xcafebabe]),
  );
  expect(id).toBe("qr_01m7ynaym02k1gvswckxe61qvt");
  expect(readScan(KEY, `qr=${id.slice(3)}`)).toEqual({ qr: id, search: "" });
});

describe("scans", () => {
  const id = newQrId(
    KEY,
    AT,
    Uint32Array.from({ length: QR_ID_RANDOM_WORDS }, (_, i) => i),
  );
  const token = id.slice(3);

  test.each([
    [`qr=${token}`, ""],
    [`qr=${token}&a=1`, "a=1"],
    [`a=1&qr=${token}`, "a=1"],
    [`a=1&qr=${token}&b=2`, "a=1&b=2"],
    [`qr=x&qr=${token}`, "qr=x"],
  ])("%s is a scan and leaves %j", (search, rest) => {
    expect(readScan(KEY, search)).toEqual({ qr: id, search: rest });
  });

  test.each([
    "",
    "a=1",
    "qr=",
    "qr",
    `xqr=${token}`,
    `QR=${token}`,
    `qr=${token}x`,
    `qr=x${token}`,
    `qr=${id}`,
    `qr=${token.toUpperCase()}`,
  ])("%j is not a scan and stays unchanged", (search) => {
    expect(readScan(KEY, search)).toEqual({ qr: null, search });
  });

  test("a changed letter anywhere makes it invalid", () => {
    for (let i = 0; i < token.length; i++) {
      const search = `qr=${token.slice(0, i)}${token[i] === "a" ? "b" : "a"}${token.slice(i + 1)}`;
      expect(readScan(KEY, search), `at ${i}`).toEqual({ qr: null, search });
    }
  });

  test("only one token is checked", () => {
    const foreign = newQrId(
      OTHER,
      AT,
      Uint32Array.from({ length: QR_ID_RANDOM_WORDS }, (_, i) => i),
    ).slice(3);
    expect(readScan(KEY, `qr=${foreign}&qr=${token}`)).toEqual({ qr: null, search: `qr=${foreign}&qr=${token}` });
    expect(readScan(KEY, `qr=${token}&qr=${foreign}`)).toEqual({ qr: id, search: `qr=${foreign}` });
  });

  test("another link's token is invalid, as is any token of a link without a secret", () => {
    expect(readScan(OTHER, `qr=${token}`).qr).toBeNull();
    expect(readScan("", `qr=${token}`).qr).toBeNull();
  });
});
