/** `hoplink export`: writes the click log to stdout, a new file, or a file to resume. */
import { type FileHandle, open, truncate } from "node:fs/promises";

import type { Command } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import { cannotWrite, usageFailure } from "../errors.ts";
import { exportClicks, placeAfter, type RowFormat, RowSplitter } from "../export-clicks.ts";
import type { Io } from "../io.ts";
import { rangeQuery, wholeNumber, withRange } from "../options.ts";
import { linkIdOf, withSession } from "../session.ts";

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
        const format: RowFormat = options.json || /\.(?:ndjson|jsonl)$/i.test(options.out ?? "") ? "ndjson" : "csv";
        const target = await openTarget(io, options, format, linkId === null);
        const { after } = target;
        // A relative --from is later now than in the first run, possibly later than the last click in the file.
        const query = rangeQuery(after === null ? options : { ...options, from: undefined });
        const request = { format, linkId, query, limit: options.limit, after };
        const clicks = await exportClicks(session, request, (rows) => target.write(rows))
          // Without clicks, this creates the file or empties an earlier export.
          .then((count) => target.write(new Uint8Array()).then(() => count))
          .finally(() => target.close());
        io.clearProgress();
        if (options.out !== undefined) io.note(`Wrote ${figure(clicks)} clicks to ${options.out}.`);
      }),
    );
}

interface TargetOptions {
  out?: string | undefined;
  resume?: true | undefined;
}

interface ExportTarget {
  /** The place of the last click already in the file. */
  after: string | null;
  write: (rows: Uint8Array) => Promise<void>;
  close: () => Promise<void>;
}

/** @internal */
export async function openTarget(
  io: Io,
  { out, resume }: TargetOptions,
  format: RowFormat,
  ofAccount: boolean,
): Promise<ExportTarget> {
  if (out === undefined) {
    if (resume) throw usageFailure("--resume requires an output file", "Add --out FILE.");
    return { after: null, write: (rows) => io.write(rows), close: async () => {} };
  }
  const begun = resume ? await openBegun(out, format, ofAccount) : null;
  let file = begun?.file;
  return {
    after: begun?.after ?? null,
    async write(rows) {
      // Opened on the first write, so that the file stays unchanged if the service refuses the request.
      file ??= await openFile(out, "w");
      await file.appendFile(rows).catch(cannotWrite(out));
    },
    async close() {
      await file?.close();
    },
  };
}

/** Cuts off an incomplete last row. @throws Failure for a file with other contents, which stays unchanged */
async function openBegun(path: string, format: RowFormat, ofAccount: boolean) {
  const file = await openFile(path, "a+");
  const splitter = new RowSplitter(format);
  let whole = 0;
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) whole += splitter.push(chunk).length;
  const { lastRow, rows, hasRest } = splitter;
  const after = lastRow === null ? null : placeAfter(lastRow, format, ofAccount);
  const hasNoClicks = rows === 0 ? !hasRest : rows === 1 && isHeader(lastRow, format, ofAccount);
  if (after === null && !hasNoClicks) {
    await file.close();
    throw usageFailure(
      `Cannot resume ${path}: it is not an export of the same clicks in the same format`,
      "Use the LINK and --json as in the first run, or choose another file.",
    );
  }
  // A file with only the header row starts over. Truncated by path: on Windows, an append handle cannot truncate.
  await truncate(path, after === null ? 0 : whole);
  return { file, after };
}

function openFile(path: string, flags: string): Promise<FileHandle> {
  return open(path, flags).catch((error: Error) => {
    throw usageFailure(`Cannot write ${path}: ${error.message}`);
  });
}

function isHeader(row: string | null, format: RowFormat, ofAccount: boolean): boolean {
  return format === "csv" && row !== null && row.startsWith(ofAccount ? "link_id," : "seq,");
}
