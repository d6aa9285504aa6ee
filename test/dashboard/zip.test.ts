/** Archives that the dashboard writes. */
import { expect, test } from "vitest";

import { zipArchive, zipFile } from "../../src/dashboard/files/zip.ts";
import { RED_PNG } from "../support/sample-images.ts";
import { readZip } from "../support/zip.ts";

async function* chunksOf(...chunks: string[]) {
  yield* chunks;
}

test("an archive has the content of all files; a file without content is left out", async () => {
  const long = Array.from({ length: 300 }, (_, i) => `{"seq":${i},"title":"Größe 🎈"}\n`.repeat(100));
  const files = [
    await zipFile("account.json", chunksOf("{}\n")),
    await zipFile("live/clicks.ndjson", chunksOf(...long)),
    await zipFile("live/äö.txt", chunksOf("", "a", "")),
    await zipFile("live/images/a.png", [RED_PNG]),
  ];
  expect(await zipFile("empty", chunksOf("", ""))).toBeNull();
  const archive = zipArchive(
    files.filter((file) => file !== null),
    new Date("2026-11-27T15:04:06Z"),
  );
  expect(readZip(await archive.bytes())).toEqual(
    new Map([
      ["account.json", "{}\n"],
      ["live/clicks.ndjson", long.join("")],
      ["live/äö.txt", "a"],
      ["live/images/a.png", new TextDecoder().decode(RED_PNG)],
    ]),
  );
  expect(archive.size).toBeLessThan(long.join("").length / 20);
  expect(readZip(await zipArchive([], new Date()).bytes())).toEqual(new Map());
});

test("a file whose content cannot be read fails with that error", async () => {
  async function* failing() {
    yield "some text";
    throw new Error("interrupted");
  }
  await expect(zipFile("a", failing())).rejects.toThrow("interrupted");
});
