import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { RELEASE } from "../../src/core/release.ts";

test("the release equals that of package.json", () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect(RELEASE).toBe(version);
});
