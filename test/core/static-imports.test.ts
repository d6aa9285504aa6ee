/**
 * Which modules are loaded together: each new isolate evaluates everything that its entry imports statically before it
 * answers. Types cost nothing, and dynamic imports are loaded by their call.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const STATIC_IMPORT = /^(?:import|export) (?!type\b)(?:[^;"]*? from )?"([^"]+)"/gm;

/** @returns packages, and files of the project, that a file imports statically, directly or not */
function loadedBy(entry: string): string[] {
  const files = new Set([join(ROOT, entry)]);
  const packages = new Set<string>();
  for (const file of files) {
    if (!file.endsWith(".ts")) continue;
    for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
      if (specifier.startsWith(".")) files.add(join(dirname(file), specifier));
      else packages.add(specifier);
    }
  }
  return [...packages, ...[...files].map((file) => relative(ROOT, file))];
}

test("a redirect loads neither the API nor pages nor any packages except those that it decides by", () => {
  const loaded = loadedBy("src/worker.ts");
  expect(loaded).toContain("src/core/links/visit-decision.ts");
  expect(loaded.filter((name) => name.startsWith("src/api/") || name.startsWith("src/core/contract/"))).toEqual([]);
  const pages = loaded.filter((name) => /^src\/(?:edge|core\/http)\/.*-pages?\.ts$/.test(name));
  expect(pages).toEqual([]);
  // The runtime's own modules are already loaded.
  const packages = loaded.filter((name) => !name.startsWith("src/") && !name.startsWith("cloudflare:"));
  expect(packages.toSorted()).toEqual(["isbot", "ua-parser-js"]);
});

/** Each new isolate parses it before its first redirect. */
const REDIRECT_MAX_BYTES = 38_900;

test("the code that a redirect loads is at most 38.9 kB, compressed", async () => {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true },
    build: {
      ssr: join(ROOT, "src/edge/redirect.ts"),
      write: false,
      minify: true,
      target: "es2024",
      rolldownOptions: { external: [/^cloudflare:/] },
    },
  });
  const outputs = [built].flat() as Rolldown.RolldownOutput[];
  const chunks = outputs.flatMap(({ output }) => output).filter((part) => part.type === "chunk");
  const loaded = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of loaded) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) loaded.add(chunk);
  }
  const code = [...loaded].map((chunk) => chunk.code).join("\n");
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(REDIRECT_MAX_BYTES);
});

test("a click is recorded without modules that only scans of the log need", () => {
  const scans = ["encoding/click-block.ts", "encoding/click-pool.ts"].map((name) => `src/core/clicks/${name}`);
  const loaded = loadedBy("src/worker.ts");
  expect(loaded).toContain("src/clicks/click-log.ts");
  expect(loaded.filter((name) => [...scans, "src/clicks/blob-table.ts"].includes(name))).toEqual([]);
  expect(loadedBy("src/clicks/packed-blocks.ts")).toEqual(expect.arrayContaining(scans));
});

test("only a message to /mcp loads the SDK of MCP", () => {
  const isOfMcp = (name: string) => name.startsWith("@modelcontextprotocol/");
  expect(loadedBy("src/api/service.ts").filter(isOfMcp)).toEqual([]);
  expect(loadedBy("src/api/mcp/server.ts").filter(isOfMcp)).not.toEqual([]);
});
