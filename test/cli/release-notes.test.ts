import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { newestRelease } from "../../src/cli/release-notes.ts";

const ROOT = join(import.meta.dirname, "../..");

const UNRELEASED = "# Changelog\n\nWhat changes.\n\n## Unreleased\n\n- Not yet.\n";
const RELEASED = `${UNRELEASED}
## 1.10.0 (2026-11-24)

### Added

- Something.

## 1.9.0 (2026-10-01)

- Older.
`;

test("unreleased changes are not a release", () => {
  expect(newestRelease(UNRELEASED, "1.10.0")).toBeUndefined();
});

test("the newest version has the text of its section", () => {
  expect(newestRelease(RELEASED, "1.10.0")).toEqual({ version: "1.10.0", notes: "### Added\n\n- Something." });
});

test.each(["1.10", "v1.10.0", "1.10.0-rc.1", "[1.10.0]", "Next"])("the heading %s is refused", (heading) => {
  expect(() => newestRelease(RELEASED.replace("1.10.0", heading), "1.10.0")).toThrow(`got "## ${heading} (2026`);
});

test("a version that differs from package.json's is refused", () => {
  expect(() => newestRelease(RELEASED, "1.9.0")).toThrow("CHANGELOG.md has version 1.10.0, package.json 1.9.0");
});

test("CHANGELOG.md agrees with package.json", () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const release = newestRelease(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version);
  expect([undefined, version]).toContain(release?.version);
});
