import { expect, test } from "vitest";

import { EXPORT_IDLE_MAX_MS, ExportSlots, EXPORTS_MAX } from "../../../src/core/memory/export-slots.ts";

const fill = (slots: ExportSlots, account: string, now = 0) =>
  Array.from({ length: EXPORTS_MAX.account }, () => slots.take(account, now));

test("slots are limited per account", () => {
  const slots = new ExportSlots();
  const [first] = fill(slots, "ann");
  expect(slots.take("ann", 0)).toBe("account");
  expect(slots.take("bob", 0)).toMatchObject({ accountId: "bob" });
  if (typeof first === "object") slots.release(first);
  expect(slots.take("ann", 0)).toMatchObject({ accountId: "ann" });
});

test("slots are limited per isolate", () => {
  const slots = new ExportSlots();
  for (let i = 0; i < EXPORTS_MAX.isolate; i++) expect(slots.take(`account ${i}`, 0)).toBeTypeOf("object");
  expect(slots.take("ann", 0)).toBe("isolate");
});

test("slots of exports that ended silently become free", () => {
  const slots = new ExportSlots();
  const [first] = fill(slots, "ann");
  const later = 2 * EXPORT_IDLE_MAX_MS + 1;
  if (typeof first === "object") first.usedAt = later;
  expect(fill(slots, "ann", later)).toEqual([
    ...Array.from({ length: EXPORTS_MAX.account - 1 }, () => ({ accountId: "ann", usedAt: later })),
    "account",
  ]);
});
