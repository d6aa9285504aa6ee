/** The samples of the API reference: their content, and that each is a program of its language. */
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { expect, test } from "vitest";

import { openApiDocument } from "../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../src/api/urls.ts";
import { operationsOf } from "../../src/cli/docs/reference.ts";
import {
  commandLineSample,
  curlSample,
  pythonSample,
  sampleRequest,
  type SampleRequest,
  typescriptSample,
} from "../../src/cli/docs/samples.ts";
import { BROWSER_CHECK } from "../support/cloudflare/zones.ts";
import { program } from "../support/programs.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const REQUEST: SampleRequest = {
  operationId: "createLink",
  method: "POST",
  url: "http://localhost:8787/v1/links",
  pathValues: [],
  query: {},
  body: { url: "it's", routing: [{ if: { country: "DE", query: { "a-b": true } }, to: null }] },
  answer: "json",
};
const document = openApiDocument(v1Routes);
const requests = operationsOf(document).map((operation) => ({
  name: operation.operationId,
  request: sampleRequest(operation),
}));

test("curl: a shell argument may contain quotes", () => {
  expect(curlSample({ ...REQUEST, body: { url: "it's" } })).toBe(
    String.raw`curl -s -X POST "http://localhost:8787/v1/links" \
  -H "Authorization: Bearer $KEY" \
  -H "Content-Type: application/json" \
  -d '{"url":"it'\''s"}'`,
  );
});

test("TypeScript: uses the client, omits needless quotes around names, and has short lines", async () => {
  expect(await typescriptSample(REQUEST)).toBe(`import { Hoplink } from "hoplink";

const { KEY = "" } = process.env;
const hoplink = new Hoplink({ apiKey: KEY, baseUrl: "http://localhost:8787" });

const answer = await hoplink.links.create({
  url: "it's",
  routing: [{ if: { country: "DE", query: { "a-b": true } }, to: null }],
});
console.log(answer);`);
});

test.each([
  ["getLink", 'const answer = await hoplink.links.get("lnk_01kajm2t4g8q5v7w9x3y6z1a2b");'],
  ["restoreLinkRevision", 'const answer = await hoplink.links.restore("lnk_01kajm2t4g8q5v7w9x3y6z1a2b", 3);'],
  ["deleteDomain", 'await hoplink.domains.delete("dom_01kajm2t4g8q5v7w9x3y6z1a2b");'],
  ["listTags", "for await (const item of hoplink.tags.list({ limit: 20 })) {"],
  ["streamEvents", "for await (const event of hoplink.events.stream()) {"],
  ["createLinks", "const answer = await hoplink.links.createMany(["],
])("TypeScript: %s", async (id, line) => {
  const request = requests.find(({ name }) => name === id)?.request ?? REQUEST;
  expect((await typescriptSample(request)).split("\n")).toContain(line);
});

test("Python: uses the language's True and None", () => {
  expect(pythonSample(REQUEST)).toContain(`"a-b": True`);
  expect(pythonSample(REQUEST)).toContain(`"to": None`);
});

test("Python: each program has a name that Browser Integrity Check accepts", () => {
  const guides = ["README.md", "src/client/README.md", ...globSync("src/docs/*.md", { cwd: ROOT })];
  const blocks = guides.flatMap((path) => readFileSync(join(ROOT, path), "utf8").match(/^```python$.*?^```$/gms) ?? []);
  expect(blocks).not.toEqual([]);
  for (const code of [...blocks, ...requests.map(({ request }) => pythonSample(request))]) {
    const [, name = ""] = /"User-Agent": "(.*?)"/.exec(code) ?? [];
    expect(name, code).not.toMatch(BROWSER_CHECK.refused);
  }
});

test.each([
  ["createLink", "hoplink links create https://example.com/spring --slug spring"],
  ["getLink", "hoplink links get lnk_01kajm2t4g8q5v7w9x3y6z1a2b"],
  [
    "getLinkStats",
    "hoplink stats lnk_01kajm2t4g8q5v7w9x3y6z1a2b --group-by country --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z --interval day",
  ],
  ["streamEvents", "hoplink tail"],
  ["createDomain", null],
])("CLI: %s", (id, expected) => {
  const request = requests.find(({ name }) => name === id)?.request ?? REQUEST;
  expect(commandLineSample(request)).toBe(expected);
});

test("every operation has samples that its shell, TypeScript and Python accept", async () => {
  expect(requests.length).toBeGreaterThan(10);
  const folder = mkdtempSync(join(tmpdir(), "hoplink-samples-"));
  try {
    for (const { name, request } of requests) {
      execFileSync("bash", ["-n", "-c", curlSample(request)]);
      writeFileSync(join(folder, `${name}.ts`), `export {};\n${await typescriptSample(request)}\n`);
      writeFileSync(join(folder, `${name}.py`), pythonSample(request));
    }
    const tsconfig = {
      extends: join(ROOT, "tsconfig.json"),
      compilerOptions: {
        types: ["node"],
        typeRoots: [join(ROOT, "node_modules/@types")],
        paths: { hoplink: [join(ROOT, "src/client/index.ts")] },
      },
      include: [folder],
      exclude: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const checked = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    expect(checked.stdout).toBe("");
    if (program("python3").isThere) {
      const files = requests.map(({ name }) => join(folder, `${name}.py`));
      const parse = "import ast, sys; [ast.parse(open(name).read()) for name in sys.argv[1:]]";
      execFileSync("python3", ["-c", parse, ...files]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
