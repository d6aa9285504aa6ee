/** `hoplink plan`, `apply` and `pull`: links as code. Only these commands load the slow modules that they need. */
import type { Command } from "@commander-js/extra-typings";

import { serviceCommand, withSession } from "../session.ts";
import type { Io } from "../io.ts";

const FILE = "links.yaml";

const loadCommands = () => import("../links-as-code/plan.ts");

export function addLinksAsCodeCommands(program: Command, io: Io): void {
  fileCommand(program, "plan", "Show what a file of links would change")
    .option("--markdown", "Print Markdown, for a comment on a pull request")
    .option("--exit-code", "Exit with 6 if there are changes")
    .action((file, options) =>
      withSession(io, options, async (session) => (await loadCommands()).runPlan(session, file, options)),
    );
  fileCommand(program, "apply", "Change your links to match a file")
    .option("--yes", "Skip the confirmation prompt")
    .action((file, options) =>
      withSession(io, options, async (session) => (await loadCommands()).runApply(session, file, options)),
    );
  serviceCommand(program, "pull", "Write your current links to a file")
    .argument("[FILE]", "File of links", FILE)
    .option("--tag <TAG>", "Only links with this tag, and links that are already in the file")
    .option("--all", "All links, even if the file has managed_by")
    .action((file, options) =>
      withSession(io, options, async (session) => (await loadCommands()).runPull(session, file, options)),
    );
}

function fileCommand(program: Command, name: string, description: string) {
  return serviceCommand(program, name, description)
    .argument("[FILE]", "File of links", FILE)
    .option("--prune", "Delete links that have the file's managed_by tag but are not in the file")
    .option("--set-passwords", "Set the passwords in the file also for links that have one")
    .option("--no-backtest", "Do not test changed links on past clicks");
}
