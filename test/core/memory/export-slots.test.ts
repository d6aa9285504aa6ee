import { expect, test } from "vitest";

import { EXPORT_IDLE_MAX_MS, ExportSlots, EXPORTS_MAX } from "../../../src/core/memory/export-slots.ts";

const fill = (slots: ExportSlots, account: string, now = 0) =>
  Array.from({ length: EXPORTS_MAX.account }, () => slots.take(account, now));

test("an account has so many slots, and another one its own", () => {
  const slots = new ExportSlots();
  const [first] = fill(slots, "ann");
  expect(slots.take("ann", 0)).toBe("account");
  expect(slots.take("bob", 0)).toMatchObject({ accountId: "bob" });
  if (typeof first === "object") slots.release(first);
  expect(slots.take("ann", 0)).toMatchObject({ accountId: "ann" });
});

test("an isolate has so many in all", () => {
  const slots = new ExportSlots();
  for (let i = 0; i < EXPORTS_MAX.isolate; i++) expect(slots.take(`account ${i}`, 0)).toBeTypeOf("object");
  expect(slots.take("ann", 0)).toBe("isolate");
});

test("slots of exports that ended without a word become free", () => {
  const slots = new ExportSlots();
  const [first] = fill(slots, "ann");
  const later = 2 * EXPORT_IDLE_MAX_MS + 1;
  if (typeof first === "object") first.usedAt = later;
  expect(fill(slots, "ann", later)).toEqual([
    ...Array.from({ length: EXPORTS_MAX.account - 1 }, () => ({ accountId: "ann", usedAt: later })),
    "account",
  ]);
});
