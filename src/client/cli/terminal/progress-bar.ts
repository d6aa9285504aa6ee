/** Progress on stderr, in one line that is overwritten. Without a terminal it shows nothing. */
import type { Writable } from "node:stream";

import { figure } from "../../../core/limits.ts";

const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\u001b[K";

export class ProgressBar {
  readonly #stream: Pick<Writable, "write">;
  readonly #isShown: boolean;

  constructor(stream: Pick<Writable, "write">, isShown: boolean) {
    this.#stream = stream;
    this.#isShown = isShown;
  }

  /** @param total  null where nobody knows it */
  show(done: number, total: number | null, what: string): void {
    if (this.#isShown) this.#stream.write(CLEAR_LINE + progressText(done, total, what));
  }

  /** Before anything else is printed. */
  clear(): void {
    if (this.#isShown) this.#stream.write(CLEAR_LINE);
  }
}

/** @internal */
export function progressText(done: number, total: number | null, what: string): string {
  if (total === null) return `${figure(done)} ${what}`;
  const filled = total === 0 ? BAR_WIDTH : Math.floor((Math.min(done, total) / total) * BAR_WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${figure(done)} of ${figure(total)} ${what}`;
}
