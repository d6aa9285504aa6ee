/**
 * Checks the guides (`src/docs`) and the README against the code. If the code determines a number or a list, a comment
 * after it names the constant: `100<!-- =RULES_MAX -->`. The text before the comment must be the constant's value.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

import { CONDITIONS } from "../../src/core/links/conditions.ts";
import { ClickEvent, StreamQuery } from "../../src/core/contract/streams.ts";
import { CreateQrCode } from "../../src/core/contract/qr-codes.ts";
import { StatsQuery } from "../../src/core/contract/stats.ts";
import { TOOLS } from "../../src/api/mcp/server.ts";
import { UpdateDomain } from "../../src/core/contract/domains.ts";
import { DOMAIN_STATUSES, RECORD_STATUSES } from "../../src/core/domains/domain-verification.ts";
import { GROUPINGS } from "../../src/core/clicks/counting/groupings.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GUIDES = join(ROOT, "src/docs");

/** All code in which constants are defined, exported or not. */
const code = sources(join(ROOT, "src"))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

const guides = readdirSync(GUIDES).filter((name) => name.endsWith(".md"));

describe.each(["README.md", ...guides.map((name) => `src/docs/${name}`)])("%s", (path) => {
  const text = readFileSync(join(ROOT, path), "utf8");

  test("numbers and lists match the code", () => {
    const wrong = [...text.matchAll(/<!-- =(.+?) -->/g)].flatMap(({ 1: expression = "", index }) => {
      const before = text.slice(0, index);
      const expected = written(valueOf(expression));
      const isWhole = before.endsWith(expected) && !/[\d,.]$/.test(before.slice(0, -expected.length));
      return isWhole ? [] : [`${before.slice(-40)}: ${expression} is ${expected}`];
    });
    expect(wrong).toEqual([]);
  });

  test("no marker is misspelt", () => {
    expect(text.match(/<!-- ?=.*?>/g)?.filter((marker) => !/^<!-- =\S.* -->$/.test(marker)) ?? []).toEqual([]);
  });
});

/** The names in the first column of a guide's tables, formatted as code. */
function firstColumn(name: string): string[] {
  const rows = readFileSync(join(GUIDES, `${name}.md`), "utf8").matchAll(/^\| (`[^|]+`) \|/gm);
  return [...rows].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word));
}

test.each([
  ["routing", [...Object.keys(CONDITIONS), "not"]],
  ["statistics", [...GROUPINGS, ...Object.keys(StatsQuery.shape)]],
  ["streaming", [...Object.keys(StreamQuery.shape), ...Object.keys(ClickEvent.shape)]],
  ["qr-codes", Object.keys(CreateQrCode.shape)],
  ["domains", [...DOMAIN_STATUSES, ...RECORD_STATUSES, ...Object.keys(UpdateDomain.shape)]],
])("the tables of %s list every name", (name, names) => {
  expect(firstColumn(name)).toEqual(expect.arrayContaining(names));
});

test("the table of mcp names every tool, in order, with the scopes that it needs", () => {
  const rows = readFileSync(join(GUIDES, "mcp.md"), "utf8").matchAll(/^\| `(\w+)` \| (.+?) \| .+ \|$/gm);
  const listed = [...rows].map(([, name, scopes]) => ({ name, scopes }));
  const written = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(", ") || "none";
  expect(listed).toEqual(TOOLS.map(({ name, scopes }) => ({ name, scopes: written(scopes) })));
});

/** The value of `NAME`, `NAME.member`, or an expression such as `BODY_MAX_BYTES / 1024`. */
function valueOf(expression: string): unknown {
  const names = new Set(expression.replaceAll(/"[^"]*"/g, "").match(/\b[A-Z][A-Z0-9_]+\b/g));
  // The expressions come from this repository's own files.
  const evaluate = new Function(...names, `return (${expression});`) as (...values: unknown[]) => unknown;
  return evaluate(...[...names].map((name) => valueOf(definitionOf(name))));
}

/** The text after `const NAME =`. If several files define the name, the exported constant counts. */
function definitionOf(name: string): string {
  const pattern = new RegExp(String.raw`(export )?\bconst ${name}(?:: [^=]+)? = ([^;]+?)(?: as const)?;`, "g");
  const all = [...code.matchAll(pattern)];
  const exported = all.filter(([, isExported]) => isExported);
  const found = new Set((exported.length > 0 ? exported : all).map(([, , value = ""]) => value));
  const [value] = found;
  if (value === undefined || found.size > 1) throw new Error(`${found.size} definitions of ${name}`);
  return value;
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `\`${item}\``).join(", ");
  return typeof value === "number" ? value.toLocaleString("en-US") : `\`${String(value)}\``;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
    .map((name) => join(folder, name));
}
