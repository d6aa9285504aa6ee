/** `hoplink tail`: live clicks for people, pipes and webhooks. */
import type { Command } from "@commander-js/extra-typings";

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
  serviceCommand(program, "tail", "show clicks as they happen, on links made by the API")
    .argument("[LINK]", "only on this one: its id, slug or short URL")
    .option("--include-bots", "with declared bots and prefetches")
    .option("--count <N>", "end after so many clicks", wholeNumber(1))
    .option("--since <CURSOR>", "begin after this event, whose cursor --json shows")
    .option("--cursor <FILE>", "go on after what this file says, and keep it up to date")
    .option("--post <URL>", "post each click there, signed by HOPLINK_WEBHOOK_SECRET; implies a cursor file")
    .option("--secret-file <FILE>", "the secret for --post, instead of HOPLINK_WEBHOOK_SECRET")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const receiver = await receiverOf(io, options);
        const linkId = name === undefined ? undefined : await linkIdOf(session, name);
        const cursorFile = await cursorFileOf(session, options, linkId);
        if (cursorFile !== null) await lockCursorFile(cursorFile);
        try {
          const since = options.since ?? (cursorFile === null ? undefined : await readCursor(cursorFile));
          const { includeBots, count: most = Number.POSITIVE_INFINITY, json: asJson = false } = options;
          await followClicks(session, { stream: { linkId, since, includeBots }, receiver, cursorFile, asJson, most });
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
    `The cursor in ${path} is not one of this stream`,
    "failed",
    "Name another file, or remove this one.",
  );
}

async function receiverOf(io: Io, { post, secretFile }: TailOptions): Promise<Receiver | null> {
  if (post === undefined) return null;
  if (!webUrl(post)) throw usageFailure(`${post} is no URL that can be posted to`);
  const secret = secretFile === undefined ? io.env.HOPLINK_WEBHOOK_SECRET : await readText(secretFile);
  if (!secret?.trim()) throw usageFailure("There is no secret to sign posts with", HOW_TO_SET_ONE);
  const key = webhookKey(secret.trim());
  return { url: post, key, signal: io.signal, onRetry: (why, waitMs) => io.noteWait(why, waitMs) };
}

const HOW_TO_SET_ONE = 'Set one: export HOPLINK_WEBHOOK_SECRET="whsec_$(openssl rand -base64 32)"';

/** A cursor is valid for one stream of one account and mode, and records the progress of one receiver. */
async function cursorFileOf(
  { hoplink, io, connection }: Session,
  { cursor, post }: TailOptions,
  linkId: string | undefined,
): Promise<string | null> {
  if (cursor !== undefined) return cursor;
  if (post === undefined) return null;
  const { account, mode } = await hoplink.me({ signal: io.signal });
  const path = defaultCursorFile(io.env, [connection.url, account.id, mode, linkId ?? "", post]);
  io.note(`What ${post} has had is kept in ${path}.`);
  return path;
}
