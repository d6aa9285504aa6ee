/** Files that are replaced as a whole, even in a folder in which others write. */
import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { modeOf, replaceFile } from "../../../src/client/cli/files.ts";

test("a link that another user placed under a guessable name is not written through", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-replace-"));
  const [file, victim] = [join(folder, "tail.cursor"), join(folder, "victim")];
  writeFileSync(victim, "mine\n");
  symlinkSync(victim, `${file}.${process.pid}.tmp`);
  await replaceFile(file, "cursor\n");
  expect([readFileSync(victim, "utf8"), readFileSync(file, "utf8")]).toEqual(["mine\n", "cursor\n"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).length).toBe(3);
});

test("content that breaks off leaves the file unchanged, and creates no other file next to it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-replace-"));
  const file = join(folder, "code.png");
  writeFileSync(file, "the last image");
  const breakingOff = (async function* () {
    yield Buffer.from("half an im");
    throw new Error("the connection was closed");
  })();
  await expect(replaceFile(file, breakingOff)).rejects.toThrow("the connection was closed");
  expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual(["the last image", ["code.png"]]);
});

test("a file that only its owner may read keeps its permissions", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "hoplink-replace-")), "links.yaml");
  expect(await modeOf(file, 0o644)).toBe(0o644);
  writeFileSync(file, "links: []\n", { mode: 0o600 });
  await replaceFile(file, "links: []\n", await modeOf(file, 0o644));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
