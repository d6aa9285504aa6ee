/** Where an export goes: stdout, a file, or a file that has the beginning already. */
import { type FileHandle, open, truncate } from "node:fs/promises";

import { cannotWrite, usageFailure } from "../errors.ts";
import type { Io } from "../io.ts";
import { placeAfter, type RowFormat, RowSplitter } from "./rows.ts";

interface TargetOptions {
  out?: string | undefined;
  resume?: true | undefined;
}

export class ExportTarget {
  /** The place of the last click that is there already. */
  after: string | null = null;
  readonly #io: Io;
  readonly #path: string | undefined;
  #file: FileHandle | null = null;

  private constructor(io: Io, path: string | undefined) {
    this.#io = io;
    this.#path = path;
  }

  static async open(
    io: Io,
    { out, resume }: TargetOptions,
    format: RowFormat,
    ofAccount: boolean,
  ): Promise<ExportTarget> {
    if (resume && out === undefined) throw usageFailure("Only a file can be resumed", "Add --out FILE.");
    const target = new ExportTarget(io, out);
    if (resume) await target.#readBeginning(format, ofAccount);
    return target;
  }

  async write(rows: Uint8Array): Promise<void> {
    if (this.#path === undefined) return this.#io.write(rows);
    // Not before: what the service refuses leaves the file as it was.
    this.#file ??= await this.#opened("w");
    await this.#file.appendFile(rows).catch(cannotWrite(this.#path));
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  /** Cuts off a row that is not whole. @throws Failure for a file of something else, which is left as it is */
  async #readBeginning(format: RowFormat, ofAccount: boolean): Promise<void> {
    const file = await this.#opened("a+");
    this.#file = file;
    const splitter = new RowSplitter(format);
    let whole = 0;
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false }))
      whole += splitter.push(chunk).length;
    const { lastRow, rows, hasRest } = splitter;
    this.after = lastRow === null ? null : placeAfter(lastRow, format, ofAccount);
    const hasNoClicks = rows === 0 ? !hasRest : rows === 1 && isHeader(lastRow, format, ofAccount);
    if (this.after === null && !hasNoClicks) {
      await file.close();
      throw usageFailure(
        `${this.#path} is no such export, so it cannot be gone on with`,
        "Give the LINK and --json as you did for it, or name another file.",
      );
    }
    // With the names of the columns alone it begins anew. By its path: on Windows a handle that appends cannot truncate.
    await truncate(this.#path ?? "", this.after === null ? 0 : whole);
  }

  #opened(flags: string): Promise<FileHandle> {
    const path = this.#path ?? "";
    return open(path, flags).catch((error: Error) => {
      throw usageFailure(`${path} cannot be written: ${error.message}`);
    });
  }
}

function isHeader(row: string | null, format: RowFormat, ofAccount: boolean): boolean {
  return format === "csv" && row !== null && row.startsWith(ofAccount ? "link_id," : "seq,");
}
