/** Checks deploy.md, operate.md and benchmarks.md against settings, commands, log lines and benchmark parts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test, vi } from "vitest";

import { adminProgram } from "../../src/cli/admin.ts";
import { Target } from "../../src/cli/admin/target.ts";
import measured from "../../src/core/costs/measured.json" with { type: "json" };
import { FREE_REPORTS_PER_MINUTE } from "../../src/core/metrics/metrics.ts";

/** Methods passed to `retryable()`, which the runtime does not reveal. */
const repeatable = vi.hoisted(() => new Set<unknown>());
vi.mock("cloudflare:workers", () => ({ DurableObject: Object }));
vi.mock("cloudflare:durable-objects", () => ({
  retryable: (...methods: unknown[]) => methods.forEach((method) => repeatable.add(method)),
}));

const ROOT = join(import.meta.dirname, "../..");
const deploy = read("src/docs/deploy.md");
const operate = read("src/docs/operate.md");

test("every variable, secret and binding has a row", () => {
  const bindings = matches(read("wrangler.toml"), /^(?:binding|name) = "([A-Z_]+)"/gm);
  const settings = matches(read("src/settings.d.ts"), /^ {2}([A-Z_]+)\?: string/gm);
  expect([bindings.length, settings.length].every((count) => count > 10)).toBe(true);
  const rows = deploy.split("\n").filter((line) => line.startsWith("| `"));
  const missing = [...bindings, ...settings].filter((name) => !rows.some((row) => row.includes(`\`${name}\``)));
  expect(missing).toEqual([]);
});

test("every operator command has a row, and no other command", () => {
  const commands = adminProgram(new Target(process)).commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((verb) => `${command.name()} ${verb.name()}`),
  );
  const rows = section(operate, "Operator's commands").flatMap((line) =>
    matches(
      line.split(" | ")[0] ?? "",
      /`([a-z]+(?: (?:create|plan|password|reset|suspend|resume|close|keys|add|remove|setup|token|revoke|list|databases|disable|enable))?)/g,
    ),
  );
  expect([...new Set(rows)].sort()).toEqual(commands.sort());
});

test("the runtime repeats the calls that decisions.md names, whose second run changes nothing more", async () => {
  const classes = {
    ...(await import("../../src/clicks/link-clicks.ts")),
    ...(await import("../../src/clicks/account-clicks.ts")),
    ...(await import("../../src/clicks/account-feed.ts")),
    ...(await import("../../src/maintenance/maintenance.ts")),
    ...(await import("../../src/images/image-object.ts")),
    ...(await import("../../src/service-object.ts")),
  };
  const methods = Object.entries(classes).map(([name, { prototype }]) => {
    const members = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    return [name, members.flatMap(([member, { value }]) => (repeatable.has(value) ? [member] : [])).sort()];
  });
  expect(Object.fromEntries(methods)).toEqual({
    LinkClicks: ["clicks", "draw", "erase", "importClicks", "learn", "record", "stats", "undoImport"],
    AccountClicks: ["clicks", "erase", "stats"],
    AccountFeed: ["erase"],
    Maintenance: ["visitorSalts", "wake"],
    ImageObject: [],
    Service: [],
  });
});

test("every explained log line exists in the code", () => {
  const lines = section(operate, "Monitoring and logs").flatMap((line) =>
    matches(line.split(" | ")[0] ?? "", /`([^`]+)`/g),
  );
  const written = sources(join(ROOT, "src")).join("\n");
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.filter((line) => !written.includes(`("${line.replace(": …", "")}`))).toEqual([]);
});

test("every part of the benchmark has a row, and nothing else", () => {
  const [, parts = ""] = /const PARTS[^{]*\{([^}]*)\}/.exec(read("test/bench/parts.ts")) ?? [];
  const rows = section(read("src/docs/benchmarks.md"), "Parts and targets").flatMap((line) =>
    matches(line, /^\| `(\w+)`/g),
  );
  expect(rows.sort()).toEqual(matches(parts, /(\w+),/g).sort());
});

test("the Free plan usage of a redirect is the measured one, and the stated redirects per day fit", () => {
  const rows = section(deploy, "Workers Free plan").map((line) => line.split("|").slice(1, -1));
  const numberIn = (text: string) => Number(/\d[\d,]*/.exec(text)?.[0].replaceAll(",", ""));
  const taken = (name: string) =>
    rows
      .find(([cell]) => cell?.includes(name))
      ?.slice(1)
      .map(numberIn) ?? [];
  const each = [1, measured["object requests for a lone click"]];
  const keys = measured["keys read for a lone redirect"];
  const first = [...each, measured["rows written for the first click"], keys];
  const later = [...each, Math.round(measured["rows written for a lone click"]), keys];
  const day = 24 * 60;
  const cron = [day + 1, day + 1, 0, 0];
  const reports = [0, day * FREE_REPORTS_PER_MINUTE, day * FREE_REPORTS_PER_MINUTE, 0];
  expect([taken("a redirect"), taken("the first click"), taken("cron jobs"), taken("reports of")]).toEqual([
    later,
    first,
    cron,
    reports,
  ]);

  const fits = /enough for ([\d,]+) redirects a day, including the first clicks of ([\d,]+) links/.exec(deploy);
  const [redirects = NaN, firstClicks = NaN] = fits?.slice(1).map(numberIn) ?? [];
  for (const [i, least] of later.entries()) {
    const most = first[i] ?? NaN;
    const sum = (redirects - firstClicks) * least + firstClicks * most + (cron[i] ?? NaN) + (reports[i] ?? NaN);
    expect(sum).toBeLessThan(100_000);
  }
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** All matches of the pattern's group. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = ""]) => group);
}

/** The table rows under a heading. */
function section(markdown: string, heading: string): string[] {
  const [, text = ""] = markdown.split(`\n## ${heading}\n`);
  return (text.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
}
