/** `hoplink qr-codes`: lists, renames and archives QR codes. */
import { type Command, Option } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import type { QrCode } from "../../index.ts";
import { usageFailure } from "../errors.ts";
import { linkIdOf } from "../find-link.ts";
import type { Io } from "../io.ts";
import { serviceCommand, withSession } from "../session.ts";
import { printTable } from "../terminal/items.ts";
import { type Column, localTime, visibleText } from "../terminal/text.ts";

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
        if (options.json) for (const code of listed) await io.printJson(code);
        else if (listed.length === 0) io.note("No QR codes found. To create one, run: hoplink qr LINK --out FILE");
        else await printCodes(io, listed);
      }),
    );
}

const COLUMNS: Column[] = [
  { title: "ID" },
  { title: "NAME" },
  { title: "SCANS", align: "right" },
  { title: "LINK" },
  { title: "CREATED" },
];

async function printCodes(io: Io, codes: readonly QrCode[]): Promise<void> {
  const rows = codes.map(({ id, name, scans, link_id, created_at }) => [
    visibleText(id),
    visibleText(name),
    figure(scans),
    visibleText(link_id),
    localTime(created_at),
  ]);
  await printTable(io, COLUMNS, rows);
}

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
        else await printCodes(io, [code]);
      }),
    );
}
