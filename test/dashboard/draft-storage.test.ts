/** Drafts of rules in the browser's storage: per account and link, bounded, and never a cause of failure. */
import { beforeEach, describe, expect, test } from "vitest";

import {
  readDraft,
  removeAllDrafts,
  removeDraft,
  type StoredDraft,
  writeDraft,
} from "../../src/dashboard/pages/link/rules/draft-storage.ts";

const ADDRESS = { accountId: "acc_1", linkId: "lnk_1" };
const DRAFT: StoredDraft = {
  savedAt: 1,
  etag: '"3"',
  savedRules: [],
  rules: [{ if: { country: "DE" }, to: "https://example.com/" }],
};

/** Like a browser's storage: entries are own properties, and the number of characters is limited. */
function newStorage(roomChars = 1_000_000): Storage {
  const storage = Object.create({
    getItem: (key: string) => (Object.hasOwn(storage, key) ? storage[key] : null),
    setItem: (key: string, text: string) => {
      if (text.length > roomChars) throw new DOMException("full", "QuotaExceededError");
      storage[key] = text;
    },
    removeItem: (key: string) => void delete storage[key],
  }) as Record<string, string> & Storage;
  return storage;
}

let storage: Storage;

beforeEach(() => {
  storage = newStorage();
});

describe("drafts of rules", () => {
  test("are restored only for their account and link, until they are removed", () => {
    expect(writeDraft(storage, ADDRESS, DRAFT)).toBe(true);
    expect(readDraft(storage, ADDRESS)).toEqual(DRAFT);
    expect(readDraft(storage, { ...ADDRESS, accountId: "acc_2" })).toBeNull();
    expect(readDraft(storage, { ...ADDRESS, linkId: "lnk_2" })).toBeNull();
    removeDraft(storage, ADDRESS);
    expect(readDraft(storage, ADDRESS)).toBeNull();
  });

  test("are all removed at sign-out, and nothing else is", () => {
    storage.setItem("hoplink-mode", "test");
    writeDraft(storage, ADDRESS, DRAFT);
    writeDraft(storage, { ...ADDRESS, linkId: "lnk_2" }, DRAFT);
    removeAllDrafts(storage);
    expect(Object.keys(storage)).toEqual(["hoplink-mode"]);
  });

  test("are kept for the latest twenty links", () => {
    for (let i = 1; i <= 25; i++) writeDraft(storage, { ...ADDRESS, linkId: `lnk_${i}` }, { ...DRAFT, savedAt: i });
    expect(Object.keys(storage)).toHaveLength(20);
    expect(readDraft(storage, { ...ADDRESS, linkId: "lnk_5" })).toBeNull();
    expect(readDraft(storage, { ...ADDRESS, linkId: "lnk_6" })?.savedAt).toBe(6);
  });

  test.each([
    "",
    "{",
    "null",
    "7",
    '{"rules":[]}',
    '{"rules":[null],"savedRules":[]}',
    '{"rules":[{"to":1}],"savedRules":[]}',
  ])("are ignored if the stored value is %j", (text) => {
    writeDraft(storage, ADDRESS, DRAFT);
    for (const key of Object.keys(storage)) storage.setItem(key, text);
    expect(readDraft(storage, ADDRESS)).toBeNull();
  });

  test("report that they are not kept if the storage is full", () => {
    expect(writeDraft(newStorage(10), ADDRESS, DRAFT)).toBe(false);
  });
});
