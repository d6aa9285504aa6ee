/** `hoplink links`: a link, or all of them. */
import type { Command } from "@commander-js/extra-typings";

import type { Io } from "../io.ts";
import { addCreateCommand } from "./links/create.ts";
import { addDeleteCommand } from "./links/delete.ts";
import { addGetCommand } from "./links/get.ts";
import { addListCommand } from "./links/list.ts";
import { addUpdateCommand } from "./links/update.ts";

export function addLinksCommands(program: Command, io: Io): void {
  const links = program
    .command("links")
    .description("create, list, look at, change and delete links")
    .helpCommand(false);
  addCreateCommand(links, io);
  addListCommand(links, io);
  addGetCommand(links, io);
  addUpdateCommand(links, io);
  addDeleteCommand(links, io);
}
