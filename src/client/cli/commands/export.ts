/** `hoplink export`: writes the click log to a file or stdout. */
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
    .description("Export clicks of the account or a link as CSV or JSON")
    .option("--profile <NAME>", "Profile to use")
    .option("--json", "Write JSON, one click per line, instead of CSV");
  withRange(command)
    .argument("[LINK]", "ID, slug or short URL of the link")
    .option("--out <FILE>", "Write to this file instead of stdout; .ndjson and .jsonl imply --json")
    .option("--resume", "Continue after the last complete row of the file")
    .option("--limit <N>", "Maximum number of clicks", wholeNumber(1))
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const linkId = name === undefined ? null : await linkIdOf(session, name);
        const format = formatOf(options);
        const target = await openTarget(io, options, format, linkId === null);
        const { after } = target;
        // A relative --from is later now than in the first run, possibly later than the last click in the file.
        const query = rangeQuery(after === null ? options : { ...options, from: undefined });
        const request = { format, linkId, query, limit: options.limit, after };
        const clicks = await exportClicks(session, request, (rows) => target.write(rows))
          // Without clicks, this creates the file or empties an earlier export.
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
