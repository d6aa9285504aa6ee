/** The command `hoplink`: statistics, files of links and clicks, backtests and QR codes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import jsQr from "jsqr";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import { ApiClient } from "../support/api-client.ts";
import { BreakingProxy } from "../support/breaking-proxy.ts";
import { decodeQrCode } from "../support/decoders.ts";
import type { DevServer } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_FULL_DISK, HoplinkCommand } from "../support/hoplink-command.ts";
import { type Pixels, readPng } from "../support/png.ts";
import { sharedServer } from "../support/shared-server.ts";

let server: DevServer;
let hoplink: HoplinkCommand;
let api: ApiClient;
/** Visited twice from Germany, once from France. */
let link: Link;

beforeAll(async () => {
  server = await sharedServer();
  hoplink = await HoplinkCommand.build();
  const key = server.accounts.Premium.live;
  hoplink.environment = { HOPLINK_URL: server.base, HOPLINK_API_KEY: key };
  api = new ApiClient(server.base, key);
  link = await visitedLink(["DE", "DE", "FR"]);
});

afterAll(() => hoplink.remove());

async function visitedLink(countries: readonly string[]): Promise<Link> {
  const made = await api.createLink();
  for (const country of countries) {
    await fetch(made.short_url, { redirect: "manual", headers: { "x-visitor-country": country } });
  }
  const isCounted = async () => (await hoplink.json("stats", made.slug)).total === countries.length;
  await eventually(isCounted, "all clicks");
  return made;
}

const inFolder = (name: string) => join(hoplink.folder, name);

function file(name: string, content: string): string {
  writeFileSync(inFolder(name), content);
  return inFolder(name);
}

test("stats prints a table with a sparkline, JSON as the API returns it, or CSV", async () => {
  const shown = await hoplink.print("stats", link.slug);
  expect(shown).toMatch(/^3 clicks {2}\d{4}-\d\d-\d\d \d\d:\d\d – .*\n▁+█▁?\nper day, maximum 3\n\n/);
  expect(shown).toMatch(/COUNTRY +CLICKS +SHARE\nDE +2 +66\.7 %\nFR +1 +33\.3 %\n$/);
  expect(await hoplink.json("stats", link.slug, "--filter", "country=FR", "--from", "1h")).toMatchObject({
    total: 1,
    group_by: "country",
    buckets: [{ key: "FR", clicks: 1 }],
    interval: null,
  });
  expect(await hoplink.print("stats", link.slug, "--csv", "--uniques")).toMatch(
    /^country,clicks,unique_visitors\r\nDE,2,1\r\n/,
  );
  expect(await hoplink.print("stats", link.slug, "--csv", "--group-by", "qr")).toBe("qr,name,clicks\r\nnone,,3\r\n");
  const series = await hoplink.print("stats", link.slug, "--csv", "--interval", "day", "--from", "1d");
  expect(series).toMatch(/^start,clicks\r\n(?:\d{4}-\S+Z,[03]\r\n){2}$/);
});

test("stats of the account are grouped by link as well; an invalid filter is refused", async () => {
  const isThere = async () => (await hoplink.json("stats", "--group-by", "link")).buckets.length > 0;
  // The first request about all links reads past clicks.
  await eventually(isThere, "the account's clicks");
  for (const args of [
    ["--filter", "planet=mars"],
    ["--filter", "country"],
    ["--csv", "--json"],
    ["--from", "soon"],
  ]) {
    expect(await hoplink.run(["stats", ...args])).toMatchObject({ code: 2, stdout: "" });
  }
});

test("backtest shows which clicks other rules would have moved", async () => {
  const rules = file("backtest.json", '[{"if": {"country": "DE"}, "to": "https://example.com/de"}]');
  const shown = await hoplink.print("backtest", link.slug, "--routing", rules);
  expect(shown).toMatch(/^2 of 3 clicks would have gone elsewhere \(66\.7 %\)/);
  expect(shown).toMatch(
    /RULE +BEFORE +AFTER +CHANGE\ncountry=DE +0 +2 +\+2\ndefault +3 +1 +-2\n\nhttps:\/\/example\.com\/ → https:\/\/example\.com\/de\n$/,
  );
  expect(await hoplink.json("backtest", link.slug, "--routing", rules)).toMatchObject({ clicks: 3, moved: 2 });
});

test("export writes CSV and JSON, and resumes where a file ends", async () => {
  const csv = await hoplink.print("export", link.slug);
  expect(csv.split("\r\n").map((row) => row.split(",")[0])).toEqual(["seq", "1", "2", "3", ""]);
  const json = await hoplink.print("export", link.slug, "--json");
  expect(
    json
      .trim()
      .split("\n")
      .map((row) => JSON.parse(row).seq),
  ).toEqual([1, 2, 3]);
  for (const [name, whole] of [
    ["clicks.csv", csv],
    ["clicks.ndjson", json],
  ] as const) {
    // Cut within the second row.
    const path = file(name, whole.slice(0, whole.lastIndexOf("\n", whole.length - 2) - 20));
    const { code, stdout } = await hoplink.run(["export", link.slug, "--out", path, "--resume"]);
    expect([code, stdout, readFileSync(path, "utf8")]).toEqual([0, "", whole]);
  }
  expect((await hoplink.run(["export", link.slug, "--resume"])).code).toBe(2);
});

test("an export that breaks off resumes automatically, and a refused one leaves the file unchanged", async () => {
  const proxy = await BreakingProxy.start(server.base);
  const path = inFolder("broken.ndjson");
  const env = { HOPLINK_URL: `http://127.0.0.1:${proxy.port}` };
  const isCut = proxy.cutBehind('{"seq":2,', "ended");
  const export_ = hoplink.run(["export", link.slug, "--out", path], { env });
  await isCut;
  proxy.mend();
  expect(await export_).toMatchObject({ code: 0, stderr: expect.stringContaining("(clicks written: 1). Resuming in") });
  proxy.stop();
  const whole = await hoplink.print("export", link.slug, "--json");
  expect(readFileSync(path, "utf8")).toBe(whole);
  expect(
    (await hoplink.run(["export", link.slug, "--out", path], { env: { HOPLINK_API_KEY: "svc_live_x" } })).code,
  ).toBe(3);
  expect(readFileSync(path, "utf8")).toBe(whole);
});

test("an export without clicks leaves none of an earlier export", async () => {
  const made = await api.createLink();
  const path = file("none.ndjson", '{"seq":1}\n');
  expect((await hoplink.run(["export", made.slug, "--out", path])).stderr).toContain("Wrote 0 clicks");
  expect(readFileSync(path, "utf8")).toBe("");
});

test.skipIf(!HAS_FULL_DISK)("a full disk is reported with the file's name", async () => {
  const { code, stderr } = await hoplink.run(["export", link.slug, "--out", "/dev/full"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Cannot write \/dev\/full: ENOSPC.*\n$/)]);
});

test("import creates the links of a file, and a repeat creates none twice", async () => {
  const lines = Array.from(
    { length: 150 },
    (_, i) => `https://example.com/import/${i},"imported; many",${i === 3 ? "no slug" : ""}`,
  );
  const path = file("links.csv", `url,tags,slug\n${lines.join("\n")}\n`);
  for (let run = 0; run < 2; run++) {
    const { code, stdout, stderr } = await hoplink.run(["import", path]);
    expect([code, stdout]).toEqual([1, "149 created, 1 refused.\n"]);
    expect(stderr).toMatch(/^Line 5: slug must contain only .*\n$/i);
  }
  const made = (await hoplink.print("links", "list", "--tag", "imported", "--all", "--json")).trim().split("\n");
  expect(made).toHaveLength(149);
  expect(JSON.parse(made.at(-1) ?? "")).toMatchObject({
    url: "https://example.com/import/0",
    tags: ["imported", "many"],
  });
});

test("17 a link with a password is imported paused if the file lacks it, and listed", async () => {
  const create = ["links", "create", "https://example.com/", "--slug", "with-password", "--password-file", "-"];
  const { stdout } = await hoplink.run([...create, "--json"], { input: "needle\n" });
  expect(JSON.parse(stdout)).toMatchObject({ password_protected: true });
  expect(await hoplink.print("links", "get", "with-password")).toMatch(/password +required/);
  const printed = (await hoplink.print("links", "list", "--json", "--search", "with-password")).trim();
  const rows = [printed.replaceAll("with-password", "closed-1"), '{"url":"https://example.com/","password":"needle"}'];
  const copied = await hoplink.run(["import", "-", "--json"], { input: rows.join("\n") });
  expect(
    copied.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { line: 1, link: { slug: "closed-1", paused: true }, needs_password: true },
    { line: 2, link: { password_protected: true } },
  ]);
  const csv =
    "url,slug,password_protected,password\nhttps://example.com/,closed-2,true,\nhttps://example.com/,,,needle\n";
  const { code, stderr } = await hoplink.run(["import", "-"], { input: csv });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Line 2: paused.*closed-2\n1 paused: /)]);
  const cleared = await hoplink.json("links", "update", "with-password", "--clear", "password");
  expect(cleared).not.toHaveProperty("password_protected");
});

test("the JSON that list prints can be imported; anything but a list of links is refused with 2", async () => {
  const { slug } = await hoplink.json(
    "links",
    "create",
    "https://example.com/",
    "--slug",
    "to-copy",
    "--alias",
    "to-copy-2",
    "--title",
    "Copy",
  );
  const printed = (await hoplink.print("links", "list", "--json", "--limit", "1")).replaceAll(slug, "copied");
  const { code, stdout } = await hoplink.run(["import", "-", "--json"], { input: printed });
  const aliases = [expect.objectContaining({ slug: "copied-2" })];
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { line: 1, link: expect.objectContaining({ slug: "copied", title: "Copy", aliases }) },
  ]);
  const cells = await hoplink.run(["import", "-", "--json"], {
    input: "url,aliases\nhttps://example.com/,cell-1; cell-2\n",
  });
  expect(JSON.parse(cells.stdout).link.aliases).toMatchObject([{ slug: "cell-1" }, { slug: "cell-2" }]);
  const [moved, open] = [
    "url,slug\nhttps://example.com/?a=1,2,spring\n",
    'url\n"https://example.com/\nhttps://b.example/\n',
  ];
  for (const input of [
    moved,
    open,
    "",
    "name,age\na,1\n",
    '{"url":\n',
    "title\nx\n",
    '{"url":"https://example.com/"}\n[]\n',
  ]) {
    expect(await hoplink.run(["import", "-"], { input }), input).toMatchObject({ code: 2, stdout: "" });
  }
  const list = await hoplink.run(["import", "-"], { input: '[{"url":"https://example.com/"}]' });
  expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining("on a separate line") });
  const nothing = await hoplink.run(["import", "-"], { input: "\n" });
  expect(nothing).toMatchObject({ code: 2, stderr: "The file contains no links\n" });
  const anything = await hoplink.run(["import", "-"], { input: `${"x".repeat(10_000)}\n` });
  expect([anything.code, anything.stderr.length < 1_000]).toEqual([2, true]);
});

test("a QR code in the terminal leads to the link, on a dark background and on a light one", async () => {
  for (const FORCE_COLOR of ["0", "1"]) {
    const { stdout } = await hoplink.run(["qr", link.slug], { env: { FORCE_COLOR } });
    const drawn = pixelsOf(stdout.split("\n").slice(0, -2), FORCE_COLOR === "1");
    expect(jsQr(drawn.rgba, drawn.width, drawn.height, { inversionAttempts: "dontInvert" })?.data).toBe(link.short_url);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(link.short_url);
  }
});

/** Pixels that a terminal shows: with colors black ink on white, without them the text's light ink on a dark background. */
function pixelsOf(lines: readonly string[], hasColors: boolean): Pixels {
  const rows = lines.map((line) => [...stripVTControlCharacters(line)]);
  const scale = 4;
  const [width, height] = [(rows[0]?.length ?? 0) * scale, rows.length * 2 * scale];
  const rgba = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const char = rows[Math.floor(y / scale / 2)]?.[Math.floor(x / scale)] ?? " ";
      const isInk = char === "█" || char === (Math.floor(y / scale) % 2 === 0 ? "▀" : "▄");
      const shade = isInk === hasColors ? 0 : 255;
      rgba.set([shade, shade, shade, 255], (y * width + x) * 4);
    }
  }
  return { width, height, rgba };
}

test("a QR code in a file is the service's, whose scans are counted", async () => {
  const code = await hoplink.json("qr", link.slug, "--out", inFolder("code.png"), "--size", "256", "--fg", "#102030");
  expect(code).toMatchObject({ link_id: link.id, size: 256, fg: "#102030", format: "png" });
  const image = readPng(readFileSync(inFolder("code.png")));
  const { jsqr } = await decodeQrCode(image, 4);
  expect(jsqr).toContain(link.short_url);
  expect(await hoplink.print("qr", link.slug, "--out", inFolder("code.svg"))).toMatch(
    /^Wrote .*code\.svg \(qr_\w+, 512 × 512\)\.\n$/,
  );
  expect(readFileSync(inFolder("code.svg"), "utf8")).toMatch(/^<svg /);
  const unwritten = await hoplink.run(["qr", link.slug, "--out", inFolder("missing/code.png")]);
  expect([unwritten.code, unwritten.stderr]).toEqual([
    1,
    expect.stringMatching(/^Cannot write .*code\.png: ENOENT.*\nThe image is also at http/s),
  ]);
  expect((await hoplink.run(["qr", link.slug, "--out", inFolder("code.gif")])).code).toBe(2);
  expect((await hoplink.run(["qr", link.slug, "--size", "256"])).code).toBe(2);
});

test("QR codes are listed, renamed and archived", async () => {
  const { id } = await hoplink.json("qr", link.slug, "--out", inFolder("named.svg"), "--name", "Poster");
  expect(await hoplink.print("qr-codes", "list", link.slug)).toMatch(
    new RegExp(`^ID +NAME +SCANS +LINK +CREATED\n${id} +Poster +0 +${link.id} `),
  );
  const archived = await hoplink.json("qr-codes", "update", id, "--name", "Flyer", "--archived");
  expect(archived).toMatchObject({ id, name: "Flyer", archived: true });
  expect(await hoplink.json("qr-codes", "list", link.slug, "--archived")).toEqual(archived);
  const cleared = await hoplink.json("qr-codes", "update", id, "--clear", "name", "--no-archived");
  expect(cleared.id).toBe(id);
  for (const member of ["name", "archived"]) expect(cleared).not.toHaveProperty(member);
  expect(await hoplink.run(["qr-codes", "update", id])).toMatchObject({ code: 2, stdout: "" });
});
