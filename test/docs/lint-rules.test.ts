/** The import rules of `.oxlintrc.json`: each violation is found, and nothing else. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { afterAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const OXLINT = join(ROOT, "node_modules/.bin/oxlint");

/** Forbidden content of files, by the rule that refuses it. */
const VIOLATIONS: Record<string, [file: string, content: string][]> = {
  "no-restricted-imports": [
    ["src/core/flat.ts", `import "../store/timeout.ts";`],
    ["src/core/links/links.ts", `import "../../api/context.ts";`],
    ["src/core/clicks/encoding/batch.ts", `import "../../../clicks/click-log.ts";`],
    ["src/core/node.ts", `import "node:fs";`],
    ["src/clicks/object.ts", `import "../store/links/links.ts";`],
    ["src/clicks/above.ts", `import "../edge/visit.ts";`],
    ["src/clicks/image.ts", `import "../images/image-object.ts";`],
    ["src/clicks/account/object.ts", `import "../../store/links/links.ts";`],
    ["src/maintenance/daily.ts", `import "../api/context.ts";`],
    ["src/images/draw.ts", `import "hono";`],
    ["src/store/links/above.ts", `import "../../clicks/click-log.ts";`],
    ["src/edge/visit.ts", `import "zod";`],
    ["src/edge/contract.ts", `import "../core/contract/links.ts";`],
    ["src/api/links/links.ts", `import "../../edge/visit.ts";`],
    ["src/api/image.ts", `import "../images/image-object.ts";`],
    ["src/api/streams/event-stream.ts", `import "./stream-events.ts";`],
    ["src/client/dependency.ts", `import "zod";`],
    ["src/client/above.ts", `import "../api/context.ts";`],
    ["src/client/core.ts", `import "../core/errors.ts";`],
    ["src/client/plan/plan.ts", `import "../../store/timeout.ts";`],
    ["src/client/cli/command.ts", `import "../../dashboard/main.tsx";`],
    ["src/dashboard/above.ts", `import "../store/timeout.ts";`],
    ["src/dashboard/contract.ts", `import { LinkOut } from "../core/contract/links.ts";\nLinkOut();`],
  ],
  "no-restricted-properties": [
    ["src/core/clock.ts", "Date.now();"],
    ["src/core/chance.ts", "Math.random();"],
    ["src/api/database.ts", "env.DB.prepare();"],
    ["src/edge/object.ts", "env.LINK_CLICKS.get();"],
    ["src/store/links/database.ts", "env.DB.prepare();"],
    ["src/cli/exit.ts", "process.exit();"],
  ],
  "no-restricted-globals": [["src/core/request.ts", `fetch("https://example.com/");`]],
  "no-cycle": [
    ["src/store/one.ts", `import type { Two } from "./two.ts";\nexport type One = Two[];`],
    ["src/store/two.ts", `import type { One } from "./one.ts";\nexport type Two = One[];`],
  ],
  "no-barrel-file": [["src/store/barrel.ts", `export * from "./one.ts";`]],
};

/** Imports that are allowed where the ones above are refused. */
const ALLOWED = [
  ["src/client/client.ts", `import "../core/retries.ts";`],
  ["src/clicks/client.ts", `import "../store/timeout.ts";`],
  [
    "src/dashboard/type.ts",
    `import type { LinkOut } from "../core/contract/links.ts";\nexport type Shown = LinkOut[];`,
  ],
] as const;

const folder = mkdtempSync(join(tmpdir(), "hoplink-lint-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("each violation is found, by its rule", () => {
  cpSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  for (const [file, content] of [...Object.values(VIOLATIONS).flat(), ...ALLOWED]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${content}\n`);
  }
  const { stdout } = spawnSync(process.execPath, [OXLINT, "--format", "json"], { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  const found = diagnostics.map(({ code, filename }) => `${filename} ${code.replace(/^.*\((.*)\)$/, "$1")}`);
  const planted = Object.entries(VIOLATIONS).flatMap(([rule, files]) => files.map(([file]) => `${file} ${rule}`));
  expect(found.toSorted()).toEqual(planted.toSorted());
});
