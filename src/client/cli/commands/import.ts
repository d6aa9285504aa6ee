/** `hoplink import FILE`: makes many links. */
import type { Command } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import { serviceCommand, withSession } from "../command.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { createLinks, type ImportedLink } from "../import/create-links.ts";
import { readLinks } from "../import/read-links.ts";
import type { Io } from "../io.ts";
import { readText } from "../read-text.ts";
import type { Session } from "../session.ts";

export function addImportCommand(program: Command, io: Io): void {
  serviceCommand(program, "import", "make the links of a file; when it was cut, run it again within a day")
    .argument("<FILE>", "CSV with the names of members in its first row, or JSON, a link a line (- for stdin)")
    .action((path, options) =>
      withSession(io, options, async (session) => {
        const text = path === "-" ? await io.readStdin() : await readText(path);
        return importLinks(session, text, options.json ?? false);
      }),
    );
}

/** @returns the exit code: not 0 when a link was refused */
async function importLinks(session: Session, text: string, asJson: boolean): Promise<number> {
  const { io } = session;
  const links = readLinks(text);
  let made = 0;
  let refused = 0;
  io.progress.show(0, links.length, "links");
  for await (const imported of createLinks(session, links)) {
    if ("link" in imported.result) made++;
    else refused++;
    await report(io, imported, asJson);
    io.progress.show(made + refused, links.length, "links");
  }
  io.progress.clear();
  if (!asJson) await io.print(`${figure(made)} made, ${figure(refused)} refused.`);
  return refused > 0 ? EXIT_CODES.failed.code : EXIT_CODES.ok.code;
}

async function report(io: Io, { line, result }: ImportedLink, asJson: boolean): Promise<void> {
  if (asJson) await io.printJson({ line, ...result });
  else if ("error" in result) io.note(`Line ${line}: ${result.error.message}`);
}
