/**
 * `hoplink tail`: follows live clicks, for people, pipes and webhooks. Each event is posted, then shown, and then its
 * cursor is stored: the position in the stream up to which all events have been handled.
 */
import { createHash, createHmac } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

import { type Command, Option } from "@commander-js/extra-typings";

import { backoffMs } from "../../../core/retries.ts";
import { boundedWaitMs, Deadline, retryAfterMs, sleep } from "../../errors.ts";
import { type ClickEvent, isHoplinkError, type StreamEvent, type StreamOptions } from "../../index.ts";
import { webUrl } from "../../transport.ts";
import { cannotWrite, Failure, usageFailure } from "../errors.ts";
import { readText, replaceFile } from "../files.ts";
import type { Colors, Environment, Io } from "../io.ts";
import { wholeNumber } from "../options.ts";
import { releaseProcessLock, takeProcessLock } from "../process-lock.ts";
import { linkIdOf, serviceCommand, type Session, withSession } from "../session.ts";
import { clockTime, visibleText } from "../terminal-text.ts";

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
          if (cursorFile !== null) releaseProcessLock(`${cursorFile}.lock`);
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
  if (!secret?.trim())
    throw usageFailure(
      "The secret for --post is missing",
      `To set one, run: export HOPLINK_WEBHOOK_SECRET=${NEW_SECRET}`,
    );
  const key = webhookKey(secret.trim());
  return { url: post, key, signal: io.signal, onRetry: (why, waitMs) => io.noteWait(why, waitMs) };
}

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

type EventOf<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;

interface Following {
  stream: Pick<StreamOptions, "linkId" | "since" | "includeBots" | "origin">;
  receiver: Receiver | null;
  cursorFile: string | null;
  asJson: boolean;
  /** Number of clicks after which the command ends. */
  most: number;
}

/** Ends after `most` clicks, or with an error that a new connection would meet again. */
async function followClicks({ hoplink, io }: Session, following: Following): Promise<void> {
  let news = io.isInteractive && !following.asJson ? "Waiting for clicks. Press Ctrl-C to stop." : "";
  const onReconnect = (reason: unknown, waitMs: number) => {
    io.noteWait(reason instanceof Error ? reason.message : String(reason), waitMs);
    news = "Reconnected.";
  };
  const events = hoplink.events.stream({ ...following.stream, signal: io.signal, onReconnect });
  let clicks = 0;
  for await (const event of events) {
    if (event.type === "ready" && news) io.note(news);
    if (event.type === "ready") news = "";
    if (event.type === "click") await handleClick(io, event, following);
    if (event.type === "gap") await handleGap(io, event, following);
    // After a crash before this line, the event is sent again: at-least-once delivery.
    if (following.cursorFile !== null) await replaceFile(following.cursorFile, `${event.cursor}\n`);
    if (event.type === "click" && ++clicks >= following.most) return;
  }
}

async function handleClick(io: Io, { click, cursor }: EventOf<"click">, { receiver, asJson }: Following) {
  if (receiver) await deliver(receiver, click.id, click);
  if (asJson) await io.printJson({ ...click, cursor });
  else await io.print(clickLine(click, io.colors));
}

/** Reports the gap, because anyone who counts clicks must know that some are missing. */
async function handleGap(io: Io, { cursor, ...gap }: EventOf<"gap">, { receiver, asJson }: Following) {
  if (receiver) await deliver(receiver, gapId(cursor), gap);
  if (asJson) await io.printJson({ ...gap, cursor });
  io.note(`Clicks are missing here. To get them, run: hoplink export --from ${gap.from} --to ${gap.to}`);
}

/** Gaps have no id, so it is derived from the cursor. */
function gapId(cursor: string): string {
  return `gap_${createHash("sha256").update(cursor).digest("hex").slice(0, 26)}`;
}

/** Longer values overflow their column. */
const WIDTHS = { country: 3, device: 7, slug: 18 };

function clickLine(click: ClickEvent, colors: Colors): string {
  const slug = visibleText(click.slug).padEnd(WIDTHS.slug);
  const facts = [
    colors.dim(clockTime(click.occurred_at, Date.now())),
    colors.yellow(visibleText(click.country).padEnd(WIDTHS.country)),
    visibleText(click.device).padEnd(WIDTHS.device),
    colors.cyan(slug),
    `→ ${visibleText(click.destination)}`,
    ...(click.rule === "default" ? [] : [colors.green(visibleText(click.rule))]),
    ...(click.referrer === "direct" ? [] : [colors.dim(`from ${visibleText(click.referrer)}`)]),
    ...(click.source === "qr" ? [colors.magenta("QR")] : []),
  ];
  return facts.join("  ");
}

/** @param stream  everything that distinguishes it from other streams */
function defaultCursorFile(env: Environment, stream: readonly string[]): string {
  const folder = env.XDG_STATE_HOME || env.LOCALAPPDATA || join(homedir(), ".local", "state");
  const name = createHash("sha256").update(JSON.stringify(stream)).digest("hex").slice(0, 16);
  return join(folder, "hoplink", "tail", `${name}.cursor`);
}

/** Two processes that share a cursor would both post every click. @throws Failure */
async function lockCursorFile(path: string): Promise<void> {
  const holder = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    .then(() => takeProcessLock(`${path}.lock`))
    .catch(cannotWrite(path));
  if (holder === null) return;
  throw new Failure(
    `Another hoplink tail (process ${holder}) is using ${path}`,
    "failed",
    "Stop that process, or use another file: --cursor FILE",
  );
}

async function readCursor(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new Failure(`Cannot read the cursor file: ${error.message}`);
  });
  return text.trim() || undefined;
}

/** Time limit of one attempt, as Standard Webhooks recommends. */
const TIMEOUT_MS = 20_000;
const BACKOFF = { firstMs: 1_000, longestMs: 60_000 };
/** The status by which a receiver permanently declines further events. */
const GONE = 410;

interface Receiver {
  url: string;
  key: Buffer;
  signal: AbortSignal;
  /** Called before each wait. */
  onRetry: (why: string, waitMs: number) => void;
}

interface Refusal {
  why: string;
  retryAfterMs: number | null;
}

/**
 * Posts an event to a receiver, until it is accepted.
 * @param id  lets the receiver deduplicate events
 * @throws Failure if it accepts no further events
 * @internal
 */
export async function deliver(receiver: Receiver, id: string, event: unknown): Promise<void> {
  const body = JSON.stringify(event);
  for (let tries = 1; ; tries++) {
    const refusal = await attempt(receiver, id, body);
    if (!refusal) return;
    const waitMs = Math.max(boundedWaitMs(refusal.retryAfterMs), backoffMs(tries, Math.random(), BACKOFF));
    receiver.onRetry(refusal.why, waitMs);
    await sleep(waitMs, receiver.signal);
  }
}

/** @returns null if the receiver accepted it */
async function attempt({ url, key, signal }: Receiver, id: string, body: string): Promise<Refusal | null> {
  const deadline = new Deadline(signal);
  deadline.set(TIMEOUT_MS);
  try {
    const headers = webhookHeaders(key, id, Date.now(), body);
    const init = { method: "POST", headers, body, redirect: "manual" } as const;
    const response = await fetch(url, { ...init, signal: deadline.signal });
    await response.body?.cancel();
    if (response.ok) return null;
    if (response.status === GONE) throw new Failure(`${url} responded with 410: it accepts no further events`);
    const asked = retryAfterMs(response.headers.get("Retry-After"), Date.now());
    return { why: `${url} responded with ${response.status}`, retryAfterMs: asked };
  } catch (error) {
    if (error instanceof Failure) throw error;
    signal.throwIfAborted();
    return { why: `${url} ${deadline.hasPassed ? "timed out" : "did not respond"}`, retryAfterMs: null };
  } finally {
    deadline.end();
  }
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = { least: 24, most: 64 };
const NEW_SECRET = '"whsec_$(openssl rand -base64 32)"';

/** @returns the decoded key @throws Failure, whose message does not contain it @internal */
export function webhookKey(secret: string): Buffer {
  const [, encoded = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded, "base64");
  if (key.length >= SECRET_BYTES.least && key.length <= SECRET_BYTES.most) return key;
  const bytes = `${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes`;
  throw usageFailure(
    `Invalid secret: it must be ${SECRET_PREFIX} and ${bytes} in Base64`,
    `To create one, run: echo ${NEW_SECRET}`,
  );
}

/**
 * Signs per Standard Webhooks (https://www.standardwebhooks.com), so that receivers can verify with a library.
 * @param id  the same for each attempt
 * @param now  epoch ms, of this attempt
 */
function webhookHeaders(key: Buffer, id: string, now: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(now / 1_000));
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": `v1,${signature}`,
  };
}
