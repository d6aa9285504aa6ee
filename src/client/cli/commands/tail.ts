/** `hoplink tail`: follows live clicks, for people, pipes and webhooks. */
import { type Command, Option } from "@commander-js/extra-typings";

import { serviceCommand, type Session, withSession } from "../session.ts";
import { isHoplinkError } from "../../index.ts";
import { Failure, usageFailure } from "../errors.ts";
import type { Io } from "../io.ts";
import { linkIdOf } from "../find-link.ts";
import { readText } from "../files.ts";
import { defaultCursorFile, lockCursorFile, readCursor, unlockCursorFile } from "../tail/cursor-file.ts";
import { followClicks } from "../tail/follow-clicks.ts";
import { type Receiver, webhookKey } from "../tail/receiver.ts";
import { wholeNumber } from "../options.ts";
import { webUrl } from "../../transport.ts";

interface TailOptions {
  post?: string | undefined;
  secretFile?: string | undefined;
  cursor?: string | undefined;
  since?: string | undefined;
}

export function addTailCommand(program: Command, io: Io): void {
  serviceCommand(program, "tail", "Show clicks as they happen")
    .argument("[LINK]", "ID, slug or short URL of a link, to show only its clicks")
    .option("--include-bots", "Include declared bots and prefetches")
    .addOption(
      new Option("--origin <ORIGIN>", "all: also show clicks on links created in the dashboard")
        .choices(["api", "all"] as const)
        .default("api" as const),
    )
    .option("--count <N>", "Exit after this number of clicks", wholeNumber(1))
    .option("--since <CURSOR>", "Start after the event with this cursor, as shown by --json")
    .option("--cursor <FILE>", "Start after the cursor in this file, and keep the file up to date")
    .option("--post <URL>", "Post each click to this URL, signed with HOPLINK_WEBHOOK_SECRET; implies a cursor file")
    .option("--secret-file <FILE>", "Read the secret for --post from this file instead of the variable")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const receiver = await receiverOf(io, options);
        const linkId = name === undefined ? undefined : await linkIdOf(session, name);
        const cursorFile = await cursorFileOf(session, options, linkId);
        if (cursorFile !== null) await lockCursorFile(cursorFile);
        try {
          const since = options.since ?? (cursorFile === null ? undefined : await readCursor(cursorFile));
          const { includeBots, origin, count: most = Number.POSITIVE_INFINITY, json: asJson = false } = options;
          await followClicks(session, {
            stream: { linkId, since, includeBots, origin },
            receiver,
            cursorFile,
            asJson,
            most,
          });
        } catch (error) {
          throw options.since === undefined && cursorFile !== null ? explained(error, cursorFile) : error;
        } finally {
          if (cursorFile !== null) unlockCursorFile(cursorFile);
        }
      }),
    );
}

function explained(error: unknown, path: string): unknown {
  if (!isHoplinkError(error) || error.param !== "since") return error;
  return new Failure(
    `The cursor in ${path} is not valid for this stream`,
    "failed",
    "Use another file, or delete this one.",
  );
}

async function receiverOf(io: Io, { post, secretFile }: TailOptions): Promise<Receiver | null> {
  if (post === undefined) return null;
  if (!webUrl(post)) throw usageFailure(`Invalid URL “${post}”`, "Use an http or https URL without a user name.");
  const secret = secretFile === undefined ? io.env.HOPLINK_WEBHOOK_SECRET : await readText(secretFile);
  if (!secret?.trim()) throw usageFailure("The secret for --post is missing", HOW_TO_SET_ONE);
  const key = webhookKey(secret.trim());
  return { url: post, key, signal: io.signal, onRetry: (why, waitMs) => io.noteWait(why, waitMs) };
}

const HOW_TO_SET_ONE = 'To set one, run: export HOPLINK_WEBHOOK_SECRET="whsec_$(openssl rand -base64 32)"';

/** A cursor is valid for one stream of one account and mode. It records the progress of one receiver. */
async function cursorFileOf(
  { hoplink, io, connection }: Session,
  { cursor, post }: TailOptions,
  linkId: string | undefined,
): Promise<string | null> {
  if (cursor !== undefined) return cursor;
  if (post === undefined) return null;
  const { account, mode } = await hoplink.me({ signal: io.signal });
  const path = defaultCursorFile(io.env, [connection.url, account.id, mode, linkId ?? "", post]);
  io.note(`The progress of ${post} is saved in ${path}.`);
  return path;
}
