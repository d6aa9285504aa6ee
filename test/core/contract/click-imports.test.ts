import { expect, test } from "vitest";
import type * as z from "zod";

import { ImportedClick, ImportId, ImportLink, ImportQuery } from "../../../src/core/contract/click-imports.ts";

const AT = "2024-05-01T12:00:00Z";
const BEFORE = { clicks: 0, until: AT, source: "Bitly" };

test.each<[z.ZodType, unknown, string | null]>([
  [ImportId, `imp_${"0f".repeat(16)}`, null],
  [ImportId, `imp_${"0f".repeat(15)}0`, ""],
  [ImportId, `imp_${"0f".repeat(16)}0`, ""],
  [ImportId, `imp_${"0F".repeat(16)}`, ""],
  [ImportId, `ximp_${"0f".repeat(16)}`, ""],
  [ImportedClick, { at: null }, "at"],
  [ImportedClick, { at: AT, bot: "true" }, "bot"],
  [ImportedClick, { at: AT, user_agent: "a".repeat(8_192), city: "a".repeat(100), utm_term: "a".repeat(8_192) }, null],
  [ImportedClick, { at: AT, user_agent: "a".repeat(8_193) }, "user_agent"],
  [ImportedClick, { at: AT, city: "a".repeat(101) }, "city"],
  [ImportedClick, { at: AT, utm_term: "a".repeat(8_193) }, "utm_term"],
  [ImportLink, {}, "clicks"],
  [ImportLink, { clicks: [], clicks_before: BEFORE }, "clicks"],
  [ImportLink, { offset: 0, clicks: Array(1_000).fill({ at: AT }) }, null],
  [ImportLink, { clicks: Array(1_001).fill({ at: AT }) }, "clicks"],
  [ImportLink, { offset: -1, clicks: [] }, "offset"],
  [ImportLink, { clicks_before: BEFORE }, null],
  [ImportLink, { clicks_before: { ...BEFORE, clicks: -1 } }, "clicks_before.clicks"],
  [ImportLink, { clicks_before: { ...BEFORE, source: "a".repeat(51) } }, "clicks_before.source"],
  [ImportQuery, { cursor: `lnk_${"0z".repeat(13)}` }, null],
  [ImportQuery, { cursor: `acc_${"0z".repeat(13)}` }, "cursor"],
  [ImportQuery, { cursor: `xlnk_${"0z".repeat(13)}` }, "cursor"],
  [ImportQuery, { cursor: `lnk_${"0z".repeat(13)}0` }, "cursor"],
])("%# has a problem in %j", (schema, value, path) => {
  const paths = schema.safeParse(value).error?.issues.map((issue) => issue.path.join("."));
  expect(paths).toEqual(path === null ? undefined : [path]);
});

test("every fact of a click may be null", () => {
  const facts = Object.fromEntries(Object.keys(ImportedClick.shape).map((name) => [name, null]));
  expect(ImportedClick.parse({ ...facts, at: AT })).toEqual({ ...facts, at: AT });
});
