import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";

/** Decides and packs visits until V8 has optimized the code, then collects garbage when no visit objects exist. */
const PROGRAM = `
  import { decideVisit } from "./src/core/links/visit-decision.ts";
  import { BatchBuilder } from "./src/core/clicks/encoding/batch-builder.ts";

  const routing = [{ if: { country: ["FR", "ES"], device: "mobile" }, to: "https://example.com/south" }];
  const link = { id: "lnk_1", url: "https://example.com/", routing, expiresAt: null, state: "active", qrKey: "" };
  const lookup = { kind: "found", link, account: "open" };
  const headers = new Headers({ "user-agent": "Mozilla/5.0", "accept-language": "de-CH,de;q=0.9" });
  const geography = { country: "DE", continent: "EU", regionCode: "BE", city: "Berlin" };

  function visit(count) {
    const batch = new BatchBuilder();
    for (let now = 0; now < count; now++) {
      batch.add(decideVisit({ method: "GET", headers, geography, search: "", defaultRedirect: null, now }, lookup).click);
    }
    return batch.pack().count;
  }

  for (let round = 0; round < 200; round++) visit(1_000);
  console.log("optimized");
  for (let i = 0; i < 5; i++) {
    await new Promise((done) => setTimeout(done));
    gc();
  }
  console.log("collected", visit(1));
`;

/** Functions that a visit runs, besides Node's functions with their own objects. */
const OF_VISITS = new Set(["decideFound", "RequestVisitor", "clickOf", "failedCheck", "add", "pack", "varint"]);

const FLAGS = ["--expose-gc", "--trace-opt", "--trace-deopt", "--no-concurrent-recompilation"];

describe("optimized code of visits", () => {
  test("V8 keeps the optimized code when it collects garbage between visits", () => {
    const printed = execFileSync(process.execPath, [...FLAGS, "--input-type=module", "--eval", PROGRAM], {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });

    const [before = "", after = ""] = printed.split("\noptimized\n");
    const discarded = [...after.matchAll(/<SharedFunctionInfo ([^>]+)>(?=.* weak objects)/g)].map(
      ([, name = ""]) => name,
    );
    expect(before).toMatch(/completed compiling .*RequestVisitor.*TURBOFAN/);
    expect(after).toContain("collected 1");
    expect(discarded.filter((name) => OF_VISITS.has(name))).toEqual([]);
  });
});
