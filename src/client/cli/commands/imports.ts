/** `hoplink imports delete ID`: undoes an import of click history. */
import type { Command } from "@commander-js/extra-typings";

import type { Io } from "../io.ts";
import { serviceCommand, withSession } from "../session.ts";

export function addImportsCommands(program: Command, io: Io): void {
  const imports = program.command("imports").description("Undo imports of click history").helpCommand(false);
  serviceCommand(imports, "delete", "Remove the clicks that an import has added to links; can be repeated")
    .argument("<ID>", "ID of the import, from its report")
    .action((id, options) =>
      withSession(io, options, async ({ hoplink }) => {
        let undone = await hoplink.imports.undo(id, { signal: io.signal });
        while (undone.remaining > 0) undone = await hoplink.imports.undo(id, { signal: io.signal });
        if (options.json) await io.printJson(undone);
        else await io.print(`The clicks of ${id} are removed. Its links stay.`);
      }),
    );
}
