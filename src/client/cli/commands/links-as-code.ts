/** `hoplink plan`, `apply` and `pull`: links as code. Their slow modules are loaded only by these commands. */
import type { Command } from "@commander-js/extra-typings";

import { serviceCommand, withSession } from "../session.ts";
import type { Io } from "../io.ts";

const FILE = "links.yaml";

export function addLinksAsCodeCommands(program: Command, io: Io): void {
  addPlanCommand(program, io);
  addApplyCommand(program, io);
  addPullCommand(program, io);
}

function addPlanCommand(program: Command, io: Io): void {
  fileCommand(program, "plan", "show what a file of links would change")
    .option("--markdown", "print it for a comment on a pull request")
    .option("--exit-code", "end with 6 when there are changes")
    .action((file, options) =>
      withSession(io, options, async (session) => {
        const { runPlan } = await import("../links-as-code/plan.ts");
        return runPlan(session, file, options);
      }),
    );
}

function addApplyCommand(program: Command, io: Io): void {
  fileCommand(program, "apply", "make links as a file says")
    .option("--yes", "do not ask")
    .action((file, options) =>
      withSession(io, options, async (session) => {
        const { runApply } = await import("../links-as-code/apply.ts");
        return runApply(session, file, options);
      }),
    );
}

function addPullCommand(program: Command, io: Io): void {
  serviceCommand(program, "pull", "write the file of links from what is there")
    .argument("[FILE]", "the file", FILE)
    .option("--tag <TAG>", "only links with this tag, beside those that are in the file")
    .option("--all", "all links, also where the file has managed_by")
    .action((file, options) =>
      withSession(io, options, async (session) => {
        const { runPull } = await import("../links-as-code/pull.ts");
        return runPull(session, file, options);
      }),
    );
}

function fileCommand(program: Command, name: string, description: string) {
  return serviceCommand(program, name, description)
    .argument("[FILE]", "the file", FILE)
    .option("--prune", "delete links with the file's managed_by tag that are not in it")
    .option("--no-backtest", "do not try changed rules on past clicks");
}
