/** Files that `hoplink export --resume` continues, and those that it must leave alone. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { openTarget } from "../../../src/client/cli/commands/export.ts";
import { Io } from "../../../src/client/cli/io.ts";

const AT = "2026-11-21T09:10:00.000Z";
const LINK_CSV = `seq,occurred_at\r\n1,${AT}\r\n`;
const ACCOUNT_CSV = `link_id,domain,seq,occurred_at\r\nlnk_1,hop.example,1,${AT}\r\n`;
const LINK_JSON = `{"seq":1,"occurred_at":"${AT}"}\n`;
const ACCOUNT_JSON = `{"link_id":"lnk_1","seq":1,"occurred_at":"${AT}"}\n`;

/** @returns where the export continues, and the file's content at that point */
async function resumed(content: string, format: "csv" | "ndjson", ofAccount: boolean) {
  const out = join(mkdtempSync(join(tmpdir(), "hoplink-resume-")), "clicks");
  writeFileSync(out, content);
  const io = new Io(process, new AbortController().signal);
  const target = await openTarget(io, { out, resume: true }, format, ofAccount).catch((error: Error) => error);
  if (!(target instanceof Error)) await target.close();
  return { after: target instanceof Error ? target.message : target.after, text: readFileSync(out, "utf8") };
}

test.each([
  ["", "csv", false, null, ""],
  ["", "ndjson", true, null, ""],
  ["seq,occurred_at\r\n", "csv", false, null, ""],
  [`${LINK_CSV}2,20`, "csv", false, "1", LINK_CSV],
  [`${ACCOUNT_CSV}lnk`, "csv", true, `${AT},lnk_1,1`, ACCOUNT_CSV],
  [`${LINK_JSON}{"se`, "ndjson", false, "1", LINK_JSON],
  [ACCOUNT_JSON, "ndjson", true, `${AT},lnk_1,1`, ACCOUNT_JSON],
] as const)(
  "with %j as %s (of the account: %s) it continues after %s",
  async (content, format, ofAccount, after, text) => {
    expect(await resumed(content, format, ofAccount)).toEqual({ after, text });
  },
);

test("new rows are written after the last whole row", async () => {
  const out = join(mkdtempSync(join(tmpdir(), "hoplink-resume-")), "clicks");
  writeFileSync(out, `${LINK_CSV}2,20`);
  const io = new Io(process, new AbortController().signal);
  const target = await openTarget(io, { out, resume: true }, "csv", false);
  for (const row of ["2,a\r\n", "3,b\r\n"]) await target.write(new TextEncoder().encode(row));
  await target.close();
  expect(readFileSync(out, "utf8")).toBe(`${LINK_CSV}2,a\r\n3,b\r\n`);
});

test.each([
  ["Things to do\n\n- call Ann\n", "csv", false],
  ["no line end", "csv", true],
  ["Things to do\n", "ndjson", false],
  ["null\n", "ndjson", true],
  [LINK_JSON, "csv", false],
  [LINK_CSV, "ndjson", false],
  [LINK_CSV, "csv", true],
  [ACCOUNT_CSV, "csv", false],
  [LINK_JSON, "ndjson", true],
  [ACCOUNT_JSON, "ndjson", false],
] as const)("%j, not an export as %s (of the account: %s), is left alone", async (content, format, ofAccount) => {
  const { after, text } = await resumed(content, format, ofAccount);
  expect([after, text]).toEqual([expect.stringContaining("Cannot resume"), content]);
});
