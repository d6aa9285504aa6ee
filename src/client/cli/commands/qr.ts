/**
 * `hoplink qr LINK`: shows a QR code in the terminal, or writes an image whose scans are counted. `hoplink qr-codes`:
 * lists, renames and archives QR codes.
 */
import { Readable } from "node:stream";

import { type Command, Option } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import { type Matrix, matrixOf } from "../../../core/qr/matrix.ts";
import type { CreateQrCode, QrCode } from "../../index.ts";
import { Failure, usageFailure } from "../errors.ts";
import { modeOf, replaceFile } from "../files.ts";
import { type Io, printList, printTable } from "../io.ts";
import { wholeNumber } from "../options.ts";
import { findLink, linkIdOf, serviceCommand, type Session, withSession } from "../session.ts";
import { type Column, localTime, visibleText } from "../terminal-text.ts";

type ImageOptions = Pick<CreateQrCode, "name" | "size" | "margin" | "fg" | "bg" | "ecc">;

export function addQrCommand(program: Command, io: Io): void {
  serviceCommand(program, "qr", "Show a QR code in the terminal, or write an image whose scans are counted")
    .argument("<LINK>", "ID, slug or short URL of the link")
    .option("--out <FILE>", "Write an image to this file, which must end with .png or .svg")
    .option("--name <NAME>", "Name of the code in lists and statistics")
    .option("--size <PIXELS>", "Width and height of the image", wholeNumber(1))
    .option("--margin <MODULES>", "Width of the margin around the code", wholeNumber(0))
    .option("--fg <COLOR>", "Foreground color, such as #1a1a1a")
    .option("--bg <COLOR>", "Background color, such as #FFFFFF")
    .addOption(new Option("--ecc <LEVEL>", "Error correction level").choices(["L", "M", "Q", "H"] as const))
    .action((name, { out, profile, json, ...image }) =>
      withSession(io, { profile }, async (session) => {
        if (out !== undefined) return writeImage(session, await linkIdOf(session, name), out, image, json);
        if (Object.keys(image).length > 0 || json)
          throw usageFailure("These options apply only to images", "Add --out FILE.");
        const { link } = await findLink(session, name);
        const lines = halfBlockLines(matrixOf(link.short_url, "M"), io.colors.isColorSupported);
        await io.print(...lines, visibleText(link.short_url));
      }),
    );
}

async function writeImage(
  { hoplink, io }: Session,
  link_id: string,
  out: string,
  image: ImageOptions,
  asJson: true | undefined,
): Promise<void> {
  const [, format] = /\.(png|svg)$/i.exec(out) ?? [];
  if (!format) throw usageFailure(`Unsupported image format: ${out}`, "Use a file name with .png or .svg.");
  const body = { link_id, format: format.toLowerCase() as "png" | "svg", ...image };
  const code = await hoplink.qrCodes.create(body, { signal: io.signal });
  await download({ hoplink, io }, code, out);
  if (asJson) await io.printJson(code);
  else await io.print(visibleText(`Wrote ${out} (${code.id}, ${code.size} × ${code.size}).`));
}

async function download({ hoplink, io }: Pick<Session, "hoplink" | "io">, code: QrCode, out: string): Promise<void> {
  const bytes = await hoplink.qrCodes.image(code, { signal: io.signal });
  const image = Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]);
  await replaceFile(out, image, await modeOf(out, 0o666)).catch((error: Error) => {
    throw new Failure(error.message, "failed", `The image is also at ${code.url}`);
  });
}

/** Light modules required around a code. */
const QUIET_ZONE = 4;
const RESET = "\u001b[0m";
/** Black on white in every terminal, regardless of its colors. */
const BLACK_ON_WHITE = "\u001b[38;2;0;0;0;48;2;255;255;255m";

/**
 * A QR code for a terminal, two modules per character: the upper half block is the upper one, the background the lower.
 * @param hasColors  without colors, light modules are drawn in the text color, so that the code is readable on a dark
 * background, and by most readers on a light one
 */
function halfBlockLines(matrix: Matrix, hasColors: boolean): string[] {
  const size = matrix.side + 2 * QUIET_ZONE;
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) =>
    Array.from({ length: size }, (_column, column) => {
      const upper = isInk(matrix, 2 * line - QUIET_ZONE, column - QUIET_ZONE, hasColors);
      const lower = isInk(matrix, 2 * line + 1 - QUIET_ZONE, column - QUIET_ZONE, hasColors);
      return upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }).join(""),
  );
  return hasColors ? lines.map((line) => BLACK_ON_WHITE + line + RESET) : lines;
}

/** Whether a module is drawn: dark ones in black or, without colors, the light ones. */
function isInk(matrix: Matrix, row: number, column: number, hasColors: boolean): boolean {
  const isInside = row >= 0 && column >= 0 && row < matrix.side && column < matrix.side;
  const isDark = isInside && matrix.isDark(row, column);
  return isDark === hasColors;
}

export function addQrCodesCommands(program: Command, io: Io): void {
  const codes = program.command("qr-codes").description("List and update QR codes").helpCommand(false);
  addListCommand(codes, io);
  addUpdateCommand(codes, io);
}

function addListCommand(codes: Command, io: Io): void {
  serviceCommand(codes, "list", "List the QR codes of the account or a link, newest first")
    .argument("[LINK]", "ID, slug or short URL of the link")
    .option("--archived", "Only archived codes, which are left out otherwise")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const ofLink = name === undefined ? {} : { link_id: await linkIdOf(session, name) };
        const query = { ...ofLink, ...(options.archived && { archived: "true" as const }) };
        const listed = await session.hoplink.qrCodes.list(query, { signal: io.signal }).all();
        const none = "No QR codes found. To create one, run: hoplink qr LINK --out FILE";
        await printList(io, options.json, COLUMNS, listed, none);
      }),
    );
}

const COLUMNS: Column<QrCode>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name },
  { title: "SCANS", align: "right", cell: ({ scans }) => figure(scans) },
  { title: "LINK", cell: ({ link_id }) => link_id },
  { title: "CREATED", cell: ({ created_at }) => localTime(created_at) },
];

function addUpdateCommand(codes: Command, io: Io): void {
  serviceCommand(codes, "update", "Rename or archive a QR code")
    .argument("<ID>", "ID of the code, which qr-codes list shows")
    .option("--name <NAME>", "Name of the code in lists and statistics")
    .option("--archived", "Leave the code out of lists; it still works")
    .addOption(new Option("--no-archived").hideHelp())
    .addOption(new Option("--clear <MEMBER...>", "Members to clear").choices(["name"] as const))
    .action((id, { profile, json, clear, ...changes }) =>
      withSession(io, { profile }, async ({ hoplink }) => {
        if (!clear && Object.keys(changes).length === 0)
          throw usageFailure("No changes specified", "To see the options, run: hoplink qr-codes update --help");
        const code = await hoplink.qrCodes.update(
          id,
          { ...(clear && { name: null }), ...changes },
          { signal: io.signal },
        );
        if (json) await io.printJson(code);
        else await printTable(io, COLUMNS, [code]);
      }),
    );
}
