/** The operator's commands, by area, and the options that all of them have. */
import { Command, Option } from "@commander-js/extra-typings";

import { addAccountCommands } from "./accounts.ts";
import { addDeploymentCommands } from "./deployment.ts";
import { addKeyCommands } from "./keys.ts";
import { addLinkCommands } from "./links.ts";
import { addOperatorCommands } from "./operators.ts";
import type { Target } from "./target.ts";

export function adminProgram(target: Target) {
  const program = new Command("npm run admin --")
    .description("Looks after accounts, keys, links and the deployment itself.")
    .addOption(new Option("--local", "work on the development database (default)").conflicts("remote"))
    .option("--persist-to <DIR>", "where that is, as in npm run dev")
    .option("--remote", "work on the deployed database")
    .option("--json", "print JSON")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showHelpAfterError("(add --help to see what there is)")
    .configureOutput({
      writeOut: (text) => target.io.stdout.write(text),
      writeErr: (text) => target.io.stderr.write(text),
    })
    .exitOverride();
  program.hook("preAction", () => void (target.options = program.opts()));
  addAccountCommands(program, target);
  addKeyCommands(program, target);
  addLinkCommands(program, target);
  addOperatorCommands(program, target);
  addDeploymentCommands(program, target);
  return program;
}
