/** Completions that the command `hoplink` offers at Tab. */
import { expect, test } from "vitest";

import { candidatesFor, FILES } from "../../../src/client/cli/commands/completion.ts";
import { Io } from "../../../src/client/cli/io.ts";
import { hoplinkProgram } from "../../../src/client/cli/main.ts";

const program = hoplinkProgram(new Io(process, new AbortController().signal));

function offered(...words: string[]): string | string[] {
  const candidates = candidatesFor(program as unknown as Parameters<typeof candidatesFor>[0], words);
  return candidates === FILES ? FILES : candidates.map(({ text }) => text);
}

test.each<[string[], string | string[]]>([
  [["who"], ["whoami"]],
  [["comp"], ["completion"]],
  [
    ["links", ""],
    ["create", "list", "get", "update", "upload-image", "delete"],
  ],
  [["links", "cr"], ["create"]],
  [["links", "create", "https://example.com/", "--slug", "list", "--tag", "--", "--exp"], ["--expires-at"]],
  [
    ["links", "list", "--status", ""],
    ["active", "paused", "scheduled", "expired"],
  ],
  [["links", "list", "--json", "--status", "e"], ["expired"]],
  [["links", "list", "--status=e"], ["--status=expired"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["completion", "bash", ""], []],
  [["stats", "--from", ""], []],
  [["stats", "links", "cr"], []],
  [["stats", "--", "--js"], []],
  [["nothing", "--js"], []],
  [["import", "lin"], FILES],
  [["plan", ""], FILES],
  [["tail", "--cursor", ""], FILES],
  [["tail", "--cursor=state/"], FILES],
  [["tail", "--post=http"], []],
])("after %j comes %j", (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test("bash splits an option and its value into three words", () => {
  expect(offered("links", "list", "--status", "=", "e")).toEqual(["expired"]);
  expect(offered("links", "list", "--status", "=")).toEqual(["active", "paused", "scheduled", "expired"]);
  expect(offered("links", "list", "--status", "=", "active", "--js")).toEqual(["--json"]);
  expect(offered("tail", "--cursor", "=", "st")).toBe(FILES);
});
