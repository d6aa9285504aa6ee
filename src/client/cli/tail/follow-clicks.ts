/** Follows the live stream: each event is posted, then shown, and then its cursor is stored. */
import { createHash } from "node:crypto";

import type { ClickEvent, StreamEvent, StreamOptions } from "../../index.ts";
import type { Colors, Io } from "../io.ts";
import type { Session } from "../session.ts";
import { clockTime, visibleText } from "../terminal/text.ts";
import { writeCursor } from "./cursor-file.ts";
import { deliver, type Receiver } from "./receiver.ts";

type EventOf<Type extends StreamEvent["type"]> = Extract<StreamEvent, { type: Type }>;

export interface Following {
  stream: Pick<StreamOptions, "linkId" | "since" | "includeBots" | "origin">;
  receiver: Receiver | null;
  cursorFile: string | null;
  asJson: boolean;
  /** Number of clicks after which the command ends. */
  most: number;
}

/** Ends after `most` clicks, or with an error that a new connection would meet again. */
export async function followClicks({ hoplink, io }: Session, following: Following): Promise<void> {
  let news = io.isInteractive && !following.asJson ? "Waiting for clicks. Press Ctrl-C to stop." : "";
  const onReconnect = (reason: unknown, waitMs: number) => {
    io.noteWait(messageOf(reason), waitMs);
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
    if (following.cursorFile !== null) await writeCursor(following.cursorFile, event.cursor);
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

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** Longer values overflow their column. */
const WIDTHS = { country: 3, device: 7, slug: 18 };

function clickLine(click: ClickEvent, colors: Colors): string {
  const slug = visibleText(click.slug).padEnd(WIDTHS.slug);
  const facts = [
    colors.dim(clockTime(click.occurred_at)),
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
