/** `hoplink export`: the click log as a file. */
import type { Command } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import { withSession } from "../session.ts";
import { exportClicks } from "../export/export-clicks.ts";
import { openTarget } from "../export/export-target.ts";
import type { RowFormat } from "../export/rows.ts";
import { rangeQuery, wholeNumber, withRange } from "../options.ts";
import type { Io } from "../io.ts";
import { linkIdOf } from "../find-link.ts";

export function addExportCommand(program: Command, io: Io): void {
  const command = program
    .command("export")
    .description("write the clicks of the account, or of a link, as CSV or JSON")
    .option("--profile <NAME>", "sign in as this profile")
    .option("--json", "a click a line as JSON, instead of CSV");
  withRange(command)
    .argument("[LINK]", "its id, slug or short URL")
    .option("--out <FILE>", "write it there, instead of stdout; .ndjson and .jsonl are JSON")
    .option("--resume", "go on where the file ends")
    .option("--limit <N>", "most clicks", wholeNumber(1))
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const linkId = name === undefined ? null : await linkIdOf(session, name);
        const format = formatOf(options);
        const target = await openTarget(io, options, format, linkId === null);
        const { after } = target;
        // A relative --from has moved since the file was begun, possibly past the end of the file.
        const query = rangeQuery(after === null ? options : { ...options, from: undefined });
        const request = { format, linkId, query, limit: options.limit, after };
        const clicks = await exportClicks(session, request, (rows) => target.write(rows))
          // Creates the file, or empties that of an earlier export, even if there are no clicks.
          .then((count) => target.write(new Uint8Array()).then(() => count))
          .finally(() => target.close());
        io.progress.clear();
        if (options.out !== undefined) io.note(`Wrote ${figure(clicks)} clicks to ${options.out}.`);
      }),
    );
}

function formatOf({ json, out = "" }: { json?: true | undefined; out?: string | undefined }): RowFormat {
  return json || /\.(?:ndjson|jsonl)$/i.test(out) ? "ndjson" : "csv";
}
