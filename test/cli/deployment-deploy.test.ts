/** Files of earlier releases are carried over from the running deployment, here a server that serves a build. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { keepAssets, RELEASES_KEPT_DAYS, RELEASES_KEPT_MAX } from "../../src/cli/deployment/deploy.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2030-01-01T00:00:00.000Z");

let root: string;
let server: Server;
let baseUrl: string;
/** The deployed build. */
let deployed: string | undefined;
let builds = 0;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "hoplink-assets-"));
  deployed = undefined;
  server = createServer((request, response) => {
    const name = (request.url ?? "").replace("/dashboard/assets/", "");
    if (deployed === undefined || !readdirSync(deployed).includes(name)) return response.writeHead(404).end();
    return response.end(readFileSync(join(deployed, name)));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  server.close();
  rmSync(root, { recursive: true });
});

/** A build of these files, by name and content. */
function build(files: Record<string, string>): string {
  const folder = join(root, String(++builds));
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

async function deploy(folder: string, now = NOW): Promise<number> {
  const count = await keepAssets(folder, baseUrl, now);
  deployed = folder;
  return count;
}

const filesOf = (folder: string) => readdirSync(folder).filter((name) => name !== "releases.json");

test("the first deployment keeps no files, the next ones keep changed files", async () => {
  expect(await deploy(build({ "index-1.js": "one", "shared~main~links-x.js": "same" }))).toBe(0);
  expect(await deploy(build({ "index-2.js": "two", "shared~main~links-x.js": "same" }))).toBe(1);
  const third = build({ "index-3.js": "three" });
  expect(await deploy(third)).toBe(3);
  expect(filesOf(third).sort()).toEqual(["index-1.js", "index-2.js", "index-3.js", "shared~main~links-x.js"]);
  expect(readFileSync(join(third, "index-1.js"), "utf8")).toBe("one");
});

test("the same build, deployed twice, does not displace an earlier one", async () => {
  await deploy(build({ "index-1.js": "one" }));
  const second = build({ "index-2.js": "two" });
  await deploy(second);
  expect(await deploy(second)).toBe(0);
  const list = JSON.parse(readFileSync(join(second, "releases.json"), "utf8")) as { files: string[] }[];
  expect(list.map(({ files }) => files)).toEqual([["index-2.js"], ["index-1.js"]]);
});

test("releases are kept by number and by age", async () => {
  for (let i = 0; i <= RELEASES_KEPT_MAX; i++) await deploy(build({ [`index-${i}.js`]: String(i) }));
  const last = build({ "index-last.js": "last" });
  expect(await deploy(last)).toBe(RELEASES_KEPT_MAX);
  expect(filesOf(last)).not.toContain("index-0.js");

  const later = build({ "index-later.js": "later" });
  expect(await deploy(later, NOW + RELEASES_KEPT_DAYS * DAY_MS)).toBe(0);
  expect(filesOf(later)).toEqual(["index-later.js"]);
});

test("a list that names anything but files of a build is refused", async () => {
  deployed = build({
    "releases.json": JSON.stringify([{ built_at: new Date(NOW).toISOString(), files: ["../../evil.js"] }]),
  });
  await expect(keepAssets(build({ "index-1.js": "one" }), baseUrl, NOW)).rejects.toThrow("../../evil.js");
});
