/** The program `hoplink`. Its commands are in `commands/`. */
import { Command } from "@commander-js/extra-typings";

import { RELEASE } from "../../core/release.ts";
import { addBacktestCommand } from "./commands/backtest.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addDomainsCommands } from "./commands/domains.ts";
import { addExportCommand } from "./commands/export.ts";
import { addImportCommand, addImportsCommands } from "./commands/import.ts";
import { addLinksAsCodeCommands } from "./commands/links-as-code.ts";
import { addLinksCommands } from "./commands/links.ts";
import { addLoginCommand, addLogoutCommand, addProfilesCommand, addWhoamiCommand } from "./commands/login.ts";
import { addQrCodesCommands, addQrCommand } from "./commands/qr.ts";
import { addStatsCommand } from "./commands/stats.ts";
import { addTailCommand } from "./commands/tail.ts";
import { errorLines, EXIT_CODES, exitCodeOf } from "./errors.ts";
import type { Io } from "./io.ts";

/** @param argv  without the paths of Node and the script @returns the exit code */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const code = await run(argv, io);
  if (!io.isCut) return code;
  io.clearProgress();
  return EXIT_CODES.interrupted.code;
}

async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    await hoplinkProgram(io)
      .parseAsync(argv, { from: "user" })
      .finally(() => io.written);
    return io.exitCode;
  } catch (error) {
    const code = exitCodeOf(error);
    if (code !== EXIT_CODES.ok.code && !io.isCut) for (const line of errorLines(error)) io.note(line);
    return code;
  }
}

/** @internal */
export function hoplinkProgram(io: Io): Command {
  const program = new Command("hoplink")
    .description("Manage Hoplink short links and their clicks from the command line.")
    .version(RELEASE, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show help for a command")
    .helpCommand(false)
    .showHelpAfterError("(add --help for usage)")
    .configureOutput({ writeOut: (text) => void io.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride();
  addLoginCommand(program, io);
  addLogoutCommand(program, io);
  addWhoamiCommand(program, io);
  addProfilesCommand(program, io);
  addLinksCommands(program, io);
  addImportCommand(program, io);
  addImportsCommands(program, io);
  addExportCommand(program, io);
  addStatsCommand(program, io);
  addTailCommand(program, io);
  addBacktestCommand(program, io);
  addQrCommand(program, io);
  addQrCodesCommands(program, io);
  addDomainsCommands(program, io);
  addLinksAsCodeCommands(program, io);
  addCompletionCommand(program, io);
  return program;
}
