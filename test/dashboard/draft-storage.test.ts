/** Drafts in the browser's storage: per account, mode and form, bounded, and never a cause of failure. */
import { beforeEach, describe, expect, test } from "vitest";

import {
  type DraftAddress,
  draftPlace,
  knownMembers,
  readDraft,
  removeAllDrafts,
  removeDraft,
  type StoredDraft,
  writeDraft,
} from "../../src/dashboard/components/draft-storage.ts";

const ADDRESS: DraftAddress = { accountId: "acc_1", mode: "live", form: "rules:lnk_1" };
const DRAFT: StoredDraft = { savedAt: 1, rules: [{ if: { country: "DE" }, to: "https://example.com/" }] };

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

describe("drafts", () => {
  test("are restored only for their account, mode and form, until they are removed", () => {
    expect(writeDraft(storage, ADDRESS, DRAFT)).toBe(true);
    expect(readDraft(storage, ADDRESS)).toEqual(DRAFT);
    expect(readDraft(storage, { ...ADDRESS, accountId: "acc_2" })).toBeNull();
    expect(readDraft(storage, { ...ADDRESS, mode: "test" })).toBeNull();
    expect(readDraft(storage, { ...ADDRESS, form: "rules:lnk_2" })).toBeNull();
    removeDraft(storage, ADDRESS);
    expect(readDraft(storage, ADDRESS)).toBeNull();
  });

  test("are all removed at sign-out, and nothing else is", () => {
    storage.setItem("hoplink-mode", "test");
    writeDraft(storage, ADDRESS, DRAFT);
    writeDraft(storage, { ...ADDRESS, form: "edit:lnk_2" }, DRAFT);
    removeAllDrafts(storage);
    expect(Object.keys(storage)).toEqual(["hoplink-mode"]);
  });

  test("are kept for the latest twenty forms", () => {
    for (let i = 1; i <= 25; i++) writeDraft(storage, { ...ADDRESS, form: `rules:lnk_${i}` }, { ...DRAFT, savedAt: i });
    expect(Object.keys(storage)).toHaveLength(20);
    expect(readDraft(storage, { ...ADDRESS, form: "rules:lnk_5" })).toBeNull();
    expect(readDraft(storage, { ...ADDRESS, form: "rules:lnk_6" })?.savedAt).toBe(6);
  });

  test("of a form that is opened again do not replace each other, and are continued one after the other", () => {
    const address = { ...ADDRESS, form: "new-link" };
    const place = (isFree: boolean) => draftPlace(storage, address, isFree);
    expect([place(true), place(false)]).toEqual(["new-link", "new-link"]);
    for (let i = 1; i <= 25; i++) {
      const form = place(true);
      expect(readDraft(storage, { ...address, form })).toBeNull();
      writeDraft(storage, { ...address, form }, { ...DRAFT, savedAt: i });
    }
    const kept = new Set<unknown>();
    for (let i = 1; i <= 20; i++) {
      const form = place(false);
      kept.add(readDraft(storage, { ...address, form })?.savedAt);
      removeDraft(storage, { ...address, form });
    }
    expect(kept).toEqual(new Set(Array.from({ length: 20 }, (_, i) => i + 6)));
  });

  test.each(["", "{", "null", "7", "[]", '{"savedAt":"now"}'])("are ignored if the stored value is %j", (text) => {
    writeDraft(storage, ADDRESS, DRAFT);
    for (const key of Object.keys(storage)) storage.setItem(key, text);
    expect(readDraft(storage, ADDRESS)).toBeNull();
  });

  test("of an earlier release lend a form only the members that it has, with values of the same kind", () => {
    const values = {
      url: "",
      tags: [] as string[],
      social: { title: "", image: "" },
      isOn: false,
      aliases: [{ slug: "" }],
    };
    const draft = {
      url: "a",
      tags: ["b"],
      social: { title: "c", image: "d" },
      isOn: true,
      aliases: [],
      savedAt: 1,
      gone: 2,
    };
    const { gone, savedAt, ...known } = draft;
    expect([gone, savedAt, knownMembers(draft, values)]).toEqual([2, 1, known]);
    const others = { url: ["a"], tags: "b", social: { title: "c" }, isOn: "true", aliases: [{ name: "" }] };
    expect(knownMembers(others, values)).toEqual({});
  });

  test("report that they are not kept if the storage is full", () => {
    expect(writeDraft(newStorage(10), ADDRESS, DRAFT)).toBe(false);
  });
});
