/** The upload: its size as wrangler reports it, and that its start can be profiled. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { runWrangler } from "../../src/cli/wrangler.ts";
import { uploadBytes } from "../support/bundle.ts";

/**
 * Workers' Free plan allows 3 MB, and a smaller script starts sooner. The MCP SDK, 57 kB with two revisions of the
 * protocol, is loaded only by the first message of an agent.
 */
const UPLOAD_MAX_BYTES = 1_150_000;

test("the compressed script and its WebAssembly are at most 1.15 MB of an upload", async () => {
  expect(await uploadBytes()).toBeLessThanOrEqual(UPLOAD_MAX_BYTES);
});

test("wrangler check startup profiles the start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-startup-"));
  try {
    const file = join(folder, "startup.cpuprofile");
    await runWrangler(["check", "startup", "--outfile", file]);
    const { samples } = JSON.parse(readFileSync(file, "utf8")) as { samples: number[] };
    expect(samples.length).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
