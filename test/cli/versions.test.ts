/** The version to which a rollback leads. */
import { describe, expect, it } from "vitest";

import { type Deployment, rollbackTarget, type Version } from "../../src/cli/deployment/versions.ts";

const version = (number: number): Version => ({ id: `v${number}`, number, metadata: { created_on: "" } });
const VERSIONS = [4, 3, 2, 1].map(version);

/** Each text is a deployment, the newest first: in `v1` all visitors get v1, in `v1 v2` ten percent get v2. */
function target(...texts: string[]): string | undefined {
  const deployments = texts.map((text, i): Deployment => {
    const [main = "", next] = text.split(" ");
    const shares = [{ version_id: main, percentage: next ? 90 : 100 }];
    return {
      id: String(i),
      created_on: "",
      versions: next ? [...shares, { version_id: next, percentage: 10 }] : shares,
    };
  });
  return rollbackTarget(deployments, VERSIONS)?.id;
}

describe("a rollback leads to", () => {
  it.each([
    ["no version if there is only one", ["v1"], undefined],
    ["the version before", ["v2", "v1 v2", "v1"], "v1"],
    ["the version that most visitors get while an upgrade is under way", ["v1 v2", "v1"], "v1"],
    ["no version that failed its check", ["v3", "v1 v3", "v1", "v1 v2", "v1"], "v1"],
    ["an even earlier version after a rollback", ["v2", "v3", "v2", "v1"], "v1"],
    ["no version if no deployment is known", [], undefined],
  ])("%s", (_, deployments, expected) => {
    expect(target(...deployments)).toBe(expected);
  });
});
