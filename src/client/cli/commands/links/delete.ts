/** `hoplink links delete LINK`. */
import type { Command } from "@commander-js/extra-typings";

import { serviceCommand, withSession } from "../../command.ts";
import { usageFailure } from "../../failure.ts";
import type { Io } from "../../io.ts";
import { findLink } from "../../links/find-link.ts";
import { confirm } from "../../terminal/questions.ts";
import { visibleText } from "../../terminal/visible-text.ts";

export function addDeleteCommand(links: Command, io: Io): void {
  serviceCommand(links, "delete", "delete a link; its slug is never given out again")
    .argument("<LINK>", "its id, slug or short URL")
    .option("--yes", "do not ask")
    .option("--erase", "erase its clicks as well")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        if (!options.yes && !io.isInteractive)
          throw usageFailure("Nobody can be asked whether to delete it", "Add --yes.");
        const { link } = await findLink(session, name);
        const shortUrl = visibleText(link.short_url);
        const what = options.erase ? `${shortUrl} and its clicks` : shortUrl;
        if (!options.yes && !(await confirm(io, `Delete ${what}? Its short URL stops working for good.`)))
          return io.note("Not deleted.");
        await session.hoplink.links.delete(link.id, { signal: io.signal, ...(options.erase && { erase: true }) });
        if (options.json) await io.printJson({ id: link.id, short_url: link.short_url, deleted: true });
        else await io.print(`Deleted ${shortUrl}.`);
      }),
    );
}
