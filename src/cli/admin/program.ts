/** The operator's commands, by area, and the options that all of them have. */
import { Command, Option } from "@commander-js/extra-typings";

import { addAccountCommands } from "./accounts.ts";
import { addDeploymentCommands } from "./deployment.ts";
import { addKeyCommands } from "./keys.ts";
import { addLinkCommands } from "./links.ts";
import { addOperatorCommands } from "./operators.ts";
import { Target } from "./target.ts";

export function adminProgram() {
  const program = new Command("npm run admin --")
    .description("Looks after accounts, keys, links and the deployment itself.")
    .addOption(new Option("--local", "work on the development database (default)").conflicts("remote"))
    .option("--persist-to <DIR>", "where that is, as in npm run dev")
    .option("--remote", "work on the deployed database")
    .option("--json", "print JSON")
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .showHelpAfterError("(add --help to see what there is)")
    .exitOverride();
  const target = new Target(() => program.opts());
  addAccountCommands(program, target);
  addKeyCommands(program, target);
  addLinkCommands(program, target);
  addOperatorCommands(program, target);
  addDeploymentCommands(program, target);
  return program;
}
