/** `hoplink links create URL`. */
import type { Command } from "@commander-js/extra-typings";

import { serviceCommand, withSession } from "../../command.ts";
import type { Io } from "../../io.ts";
import { revisionOf } from "../../links/find-link.ts";
import { linkMembers, withLinkOptions } from "../../links/link-options.ts";
import { printLink } from "../../links/print-link.ts";

export function addCreateCommand(links: Command, io: Io): void {
  withLinkOptions(serviceCommand(links, "create", "make a link"))
    .argument("<URL>", "where it leads")
    .option("--slug <SLUG>", "the path of the short URL; a short random one when not given")
    .option("--domain <DOMAIN>", "one of your domains; the service's own when not given")
    .action((url, options) =>
      withSession(io, options, async ({ hoplink }) => {
        const { slug, domain } = options;
        const body = { url, ...(slug && { slug }), ...(domain && { domain }), ...(await linkMembers(io, options)) };
        const { data: link, etag } = await hoplink.links.create(body, { signal: io.signal }).withResponse();
        await printLink(io, { link, revision: revisionOf(etag) }, options.json);
      }),
    );
}
