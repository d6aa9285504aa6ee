/**
 * The examples of all texts of the repository, and the test that runs each. An example is a shell command, or a fenced
 * block in any other language; its output is in the block directly below it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { lexer, type Token } from "marked";

const ROOT = resolve(import.meta.dirname, "../..");
/** Folders without packages and build results. */
const FOLDERS = ["src", "test", ".github"];
const PLAIN = new Set(["", "text", "json"]);

export interface Example {
  /** The file that it is in. */
  text: string;
  language: string;
  code: string;
  /** Undefined if the text shows none. */
  answer: string | undefined;
  /** The paragraph above. */
  introduction: string;
}

export const EXAMPLES: readonly Example[] = textFiles().flatMap((text) =>
  examplesIn(lexer(readFileSync(join(ROOT, text), "utf8")), text),
);

function textFiles(): string[] {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return [...readdirSync(ROOT), ...below]
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .sort();
}

function examplesIn(tokens: readonly Token[], text: string): Example[] {
  const examples: Example[] = [];
  let [introduction, hasAnswer] = ["", true];
  for (const token of tokens) {
    const last = examples.at(-1);
    if (token.type === "code") {
      const { lang: language = "", text: code } = token as { lang?: string; text: string };
      if (last && !hasAnswer && PLAIN.has(language)) last.answer = code;
      else
        for (const one of commandsIn(code, language))
          examples.push({ text, language, code: one, answer: undefined, introduction });
      hasAnswer = PLAIN.has(language);
    } else if (token.type !== "space") {
      examples.push(...innerTokens(token).flatMap((inner) => examplesIn(inner, text)));
      [introduction, hasAnswer] = [token.raw, true];
    }
  }
  return examples;
}

/** For a list: the tokens of its items. */
function innerTokens(token: Token): Token[][] {
  const { items = [], tokens = [] } = token as { items?: { tokens: Token[] }[]; tokens?: Token[] };
  return [...items.map((item) => item.tokens), tokens];
}

/** The commands of a shell block, each on its lines; any other block whole. */
function commandsIn(code: string, language: string): string[] {
  if (language !== "sh") return [code];
  const commands: string[] = [];
  let begun = "";
  for (const line of code.split(/\n| && /)) {
    begun += begun === "" ? line : `\n${line}`;
    const isOpen = begun.endsWith("\\") || ["'", '"'].some((quote) => (begun.split(quote).length - 1) % 2 === 1);
    if (isOpen) continue;
    commands.push(begun);
    begun = "";
  }
  return commands;
}

type Runs = (example: Example) => boolean;

const written =
  (...languages: string[]): Runs =>
  ({ language }) =>
    languages.includes(language);
const isIn =
  (...texts: string[]): Runs =>
  ({ text }) =>
    texts.includes(text);
const command =
  (pattern: RegExp): Runs =>
  ({ language, code }) =>
    language === "sh" && pattern.test(code);

/** An example is run by the first test that it fits. */
const TESTS: Record<string, Runs> = {
  "test/e2e/client-guide.test.ts": isIn("src/docs/client.md", "src/client/README.md"),
  "test/e2e/stream-clients.test.ts": written("js", "python"),
  "test/e2e/mcp-hosts.test.ts": isIn("src/docs/mcp.md"),
  "test/client/plan/parse.test.ts": ({ language, code }) => language === "yaml" && code.includes("jobs:\n"),
  "test/docs/wrangler-config.test.ts": written("md"),
  "test/docs/scale.test.ts": command(/^npm run simulate/),
  "test/e2e/project-commands.test.ts": command(/^npm (ci|test|run dev)|\bnpm run bench|^npx vitest|^git |\bkeep\.ts/),
  "test/e2e/project-process.test.ts": command(/^npx wrangler login/),
  "test/e2e/setup.test.ts": command(/\bnpm run (setup|deploy)|\badmin -- link/),
  "test/e2e/doctor.test.ts": command(/\badmin -- doctor|\br2 bucket domain/),
  "test/e2e/remote-backup.test.ts": command(/\badmin -- (backup|restore)|\br2 bucket create/),
  "test/e2e/upgrade.test.ts": command(/^npm run upgrade/),
  "test/e2e/readme.test.ts": written("sh", "bash", "zsh", "fish", "json", "yaml", "csv"),
};

/** @returns the test's path, if there is one */
export function testOf(example: Example): string | undefined {
  return Object.keys(TESTS).find((test) => TESTS[test]?.(example));
}

/** @param file  the test's `import.meta.filename` */
export function examplesRunBy(file: string): Example[] {
  return EXAMPLES.filter((example) => testOf(example) === relative(ROOT, file));
}

/** The examples of a test that does not run them in order: it takes each one that it runs, so that none is left. */
export class ExamplesToTake {
  readonly #left: Set<Example>;

  /** @param file  the test's `import.meta.filename` */
  constructor(file: string) {
    this.#left = new Set(examplesRunBy(file));
  }

  /**
   * @param wanted  its whole text, or a part of it
   * @returns its text @throws when it is in no guide
   */
  take(wanted: string | RegExp): string {
    const taken = EXAMPLES.filter(({ code }) => (typeof wanted === "string" ? code === wanted : wanted.test(code)));
    for (const example of taken) this.#left.delete(example);
    const [example] = taken;
    if (!example) throw new Error(`no guide has ${wanted}`);
    return example.code;
  }

  /** For the last test of the file. */
  get left(): string[] {
    return [...this.#left].map(({ text, code }) => `${text}: ${code}`);
  }
}
