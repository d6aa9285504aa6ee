/** The script that `hoplink completion bash` prints, in a real bash. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { Io } from "../../../src/client/cli/io.ts";
import { hoplinkProgram } from "../../../src/client/cli/program.ts";

/** @returns what a command prints */
async function printed(...args: string[]): Promise<string> {
  let text = "";
  const stdout = { write: (chunk: string) => ((text += chunk), true) } as unknown as NodeJS.Process["stdout"];
  const { stdin, stderr } = process;
  const io = new Io({ stdin, stdout, stderr, env: {} }, new AbortController().signal);
  await hoplinkProgram(io).parseAsync(["node", "hoplink", ...args]);
  return text;
}

test("Tab runs nothing of what stands on the line, and empties no file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-completion-"));
  const [asked, kept, made] = ["asked", "kept", "made"].map((name) => join(folder, name));
  writeFileSync(kept ?? "", "mine\n");
  const script = `
    hoplink() { printf '%s\\n' "$@" > ${asked}; echo "get	Show"; echo ":4"; }
    ${await printed("completion", "bash")}
    COMP_WORDS=(hoplink links '$(touch ${made})' '>' ${kept} ';' 'touch ${made}' '')
    COMP_CWORD=7; __hoplink_complete; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", script], {
    env: { PATH: process.env["PATH"] },
  });
  expect(readFileSync(asked ?? "", "utf8").split("\n")).toEqual([
    "complete",
    "--",
    "links",
    `$(touch ${made})`,
    ">",
    kept,
    ";",
    `touch ${made}`,
    "",
    "",
  ]);
  expect([existsSync(made ?? ""), readFileSync(kept ?? "", "utf8")]).toEqual([false, "mine\n"]);
  expect(stdout.trim()).toMatch(/^get\b/);
});
