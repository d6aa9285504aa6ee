/** `hoplink links update LINK`. */
import { type Command, Option } from "@commander-js/extra-typings";

import type { UpdateLink } from "../../../index.ts";
import { serviceCommand, withSession } from "../../command.ts";
import { usageFailure } from "../../failure.ts";
import type { Io } from "../../io.ts";
import { linkIdOf, revisionOf } from "../../links/find-link.ts";
import { linkMembers, withLinkOptions } from "../../links/link-options.ts";
import { printLink } from "../../links/print-link.ts";
import { wholeNumber } from "../../whole-number.ts";

/** What a member becomes that is cleared. */
const CLEARED = {
  title: null,
  tags: null,
  routing: [],
  starts_at: null,
  expires_at: null,
  fallback_url: null,
} satisfies UpdateLink;

const CLEARABLE = Object.keys(CLEARED) as (keyof typeof CLEARED)[];

export function addUpdateCommand(links: Command, io: Io): void {
  withLinkOptions(serviceCommand(links, "update", "change a link; what is not named stays as it is"))
    .argument("<LINK>", "its id, slug or short URL")
    .option("--url <URL>", "where it leads")
    .addOption(new Option("--clear <MEMBER...>", "take these away").choices(CLEARABLE))
    .option("--if-revision <N>", "only if nobody has changed it since, as links get shows it", wholeNumber(1))
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const cleared = Object.fromEntries((options.clear ?? []).map((member) => [member, CLEARED[member]]));
        const changes = { ...cleared, ...(options.url && { url: options.url }), ...(await linkMembers(io, options)) };
        if (Object.keys(changes).length === 0)
          throw usageFailure("Nothing is to be changed", "hoplink links update --help");
        const ifMatch = options.ifRevision === undefined ? undefined : `"${options.ifRevision}"`;
        const id = await linkIdOf(session, name);
        const answer = session.hoplink.links.update(id, changes, { signal: io.signal, ifMatch });
        const { data: link, etag } = await answer.withResponse();
        await printLink(io, { link, revision: revisionOf(etag) }, options.json);
      }),
    );
}
