/** `hoplink qr LINK`: a code in the terminal, or an image whose scans are counted. */
import { Readable } from "node:stream";

import { type Command, Option } from "@commander-js/extra-typings";

import { matrixOf } from "../../../core/qr/matrix.ts";
import type { CreateQrCode, QrCode } from "../../index.ts";
import { serviceCommand, withSession } from "../command.ts";
import { Failure, usageFailure } from "../failure.ts";
import type { Io } from "../io.ts";
import { findLink, linkIdOf } from "../links/find-link.ts";
import { modeOf, replaceFile } from "../replace-file.ts";
import type { Session } from "../session.ts";
import { halfBlockLines } from "../terminal/half-blocks.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { wholeNumber } from "../whole-number.ts";

type ImageOptions = Pick<CreateQrCode, "size" | "margin" | "fg" | "bg" | "ecc">;

export function addQrCommand(program: Command, io: Io): void {
  serviceCommand(program, "qr", "show a QR code in the terminal, or write an image whose scans are counted")
    .argument("<LINK>", "its id, slug or short URL")
    .option("--out <FILE>", "write an image: a name with .png or .svg")
    .option("--size <PIXELS>", "width and height of the image", wholeNumber(1))
    .option("--margin <MODULES>", "light modules around the code", wholeNumber(0))
    .option("--fg <COLOR>", "as #1a1a1a")
    .option("--bg <COLOR>", "as #FFFFFF")
    .addOption(new Option("--ecc <LEVEL>", "how much of it may be damaged").choices(["L", "M", "Q", "H"] as const))
    .action((name, { out, profile, json, ...image }) =>
      withSession(io, { profile }, async (session) => {
        if (out !== undefined) return writeImage(session, await linkIdOf(session, name), out, image, json);
        if (Object.keys(image).length > 0 || json)
          throw usageFailure("These options are for an image", "Add --out FILE.");
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
  if (!format) throw usageFailure(`${out} ends neither with .png nor with .svg`);
  const body = { link_id, format: format.toLowerCase() as "png" | "svg", ...image };
  const code = await hoplink.qrCodes.create(body, { signal: io.signal });
  await download({ hoplink, io }, code, out);
  if (asJson) await io.printJson(code);
  else await io.print(`Wrote ${out} (${code.id}, ${code.size} × ${code.size}).`);
}

async function download({ hoplink, io }: Pick<Session, "hoplink" | "io">, code: QrCode, out: string): Promise<void> {
  const bytes = await hoplink.qrCodes.image(code, { signal: io.signal });
  const image = Readable.fromWeb(bytes as Parameters<typeof Readable.fromWeb>[0]);
  await replaceFile(out, image, await modeOf(out, 0o666)).catch((error: Error) => {
    throw new Failure(error.message, "failed", `The image is also at ${code.url}`);
  });
}
