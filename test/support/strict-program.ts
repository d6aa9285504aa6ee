/** A program of a user of the npm package, as strict as TypeScript can be. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A compiler reads all types of Node and browsers, which takes long while other tests run. */
export const COMPILE_TIMEOUT_MS = 180_000;

export const TYPES_OF_BROWSERS = ["--lib", "es2022,dom"];

const PROGRAM = `
import { Hoplink, HoplinkError, isHoplinkError, type Link, type StreamEvent } from "hoplink";

const hoplink = new Hoplink({ apiKey: "svc_test_key", baseUrl: "https://hop.example.com" });

export async function titles(tag: string): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for await (const { title } of hoplink.links.list({ tag: [tag], sort: "-clicks" })) found.push(title);
  return found;
}

export async function make(url: string): Promise<Link | null> {
  try {
    return await hoplink.links.create({ url, routing: [{ if: { country: ["DE", "AT"] }, to: url }] });
  } catch (error) {
    if (isHoplinkError(error, "slug_taken")) return null;
    const code: string | undefined = error instanceof HoplinkError ? error.code : undefined;
    throw new Error(code);
  }
}

export function show(event: StreamEvent): string {
  return event.type === "click" ? event.click.short_url : event.type === "gap" ? event.from : event.cursor;
}

// @ts-expect-error a link has a url
void hoplink.links.create({ slug: "a" });
// @ts-expect-error no such grouping
void hoplink.stats({ group_by: "colour" });
`;

const run = promisify(execFile);

/** @param folder  of a project with the package @param tsc  the compiler's script @returns its output */
export async function strictProgramErrors(
  folder: string,
  tsc: string,
  moduleResolution: string,
  libraries: readonly string[],
): Promise<string> {
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const module = moduleResolution === "node16" ? "node16" : "esnext";
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
  const kind = ["--target", "es2022", "--module", module, "--moduleResolution", moduleResolution];
  return run(process.execPath, [tsc, ...strict, ...kind, ...libraries, "program.ts"], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}
