/** A click as a line. Pure. */
import type { ClickEvent } from "../../index.ts";
import type { Colors } from "../terminal/colors.ts";
import { clockTime } from "../terminal/figures.ts";
import { visibleText } from "../terminal/visible-text.ts";

/** Longer ones stand out of their column. */
const WIDTHS = { country: 3, device: 7, slug: 18 };

export function clickLine(click: ClickEvent, colors: Colors): string {
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
