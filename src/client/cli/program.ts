/** All commands of `hoplink`. */
import { Command } from "@commander-js/extra-typings";

import { RELEASE } from "../../core/release.ts";
import { addBacktestCommand } from "./commands/backtest.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import { addExportCommand } from "./commands/export.ts";
import { addImportCommand } from "./commands/import.ts";
import { addLinksAsCodeCommands } from "./commands/links-as-code.ts";
import { addLinksCommands } from "./commands/links.ts";
import { addLoginCommand } from "./commands/login.ts";
import { addLogoutCommand } from "./commands/logout.ts";
import { addProfilesCommand } from "./commands/profiles.ts";
import { addQrCommand } from "./commands/qr.ts";
import { addStatsCommand } from "./commands/stats.ts";
import { addTailCommand } from "./commands/tail.ts";
import { addWhoamiCommand } from "./commands/whoami.ts";
import type { Io } from "./io.ts";

export function hoplinkProgram(io: Io): Command {
  const program = new Command("hoplink")
    .description("Short links with routing rules, exact click counts and a live stream.")
    .version(RELEASE, "-V, --version", "print the version")
    .helpCommand(false)
    .showHelpAfterError("(add --help to see what there is)")
    .configureOutput({ writeOut: (text) => void io.write(text), writeErr: (text) => io.stderr.write(text) })
    .exitOverride();
  addLoginCommand(program, io);
  addLogoutCommand(program, io);
  addWhoamiCommand(program, io);
  addProfilesCommand(program, io);
  addLinksCommands(program, io);
  addImportCommand(program, io);
  addExportCommand(program, io);
  addStatsCommand(program, io);
  addTailCommand(program, io);
  addBacktestCommand(program, io);
  addQrCommand(program, io);
  addLinksAsCodeCommands(program, io);
  addCompletionCommand(program, io);
  return program;
}
