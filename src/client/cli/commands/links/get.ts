/** `hoplink links get LINK`. */
import type { Command } from "@commander-js/extra-typings";

import { serviceCommand, withSession } from "../../command.ts";
import type { Io } from "../../io.ts";
import { findLink } from "../../links/find-link.ts";
import { printLink } from "../../links/print-link.ts";

export function addGetCommand(links: Command, io: Io): void {
  serviceCommand(links, "get", "show a link")
    .argument("<LINK>", "its id, slug or short URL")
    .action((name, options) =>
      withSession(io, options, async (session) => printLink(io, await findLink(session, name), options.json)),
    );
}
