/** The command as it is run: its output, files and exit code. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "hoplink-simulate-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "simulate.ts"), ...args], { encoding: "utf8" });

const SMALL = ["--links", "1000", "--redirects", "100", "--seconds", "2", "--databases", "1,2"];

test("prints tables, or JSON, which it writes to a file as well; a seed gives the same figures again", () => {
  const tables = run(...SMALL);
  expect(tables).toMatchObject({ status: 0, stderr: "" });
  expect(tables.stdout).toContain("| 1,000, 100/s | 2 |");
  const out = join(folder, "figures.json");
  const json = run(...SMALL, "--json", "--out", out);
  expect(json).toMatchObject({ status: 0, stderr: "", stdout: readFileSync(out, "utf8") });
  const { seconds, seed, reports } = JSON.parse(json.stdout) as { seconds: number; seed: number; reports: object[] };
  expect({ seconds, seed }).toEqual({ seconds: 2, seed: 1 });
  expect(reports).toHaveLength(1);
  expect(run(...SMALL, "--json").stdout).toBe(json.stdout);
  expect(run(...SMALL, "--json", "--seed", "2").stdout).not.toBe(json.stdout);
});

test("reports invalid options in one line", () => {
  expect(run("--links", "none")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: "--links must be a whole number from 1 to 1,000,000,000,000, got none\n",
  });
  const nowhere = run(...SMALL, "--out", join(folder, "nowhere", "x.json"));
  expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringMatching(/^ENOENT: .*\n$/) as string });
  expect(nowhere.stdout).toContain("| 1,000, 100/s | 2 |");
});
