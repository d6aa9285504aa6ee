/**
 * Counts the concurrent exports of an isolate. Each holds a page until its client has read it. An isolate has 128 MB
 * and also serves redirects. No clock: times are arguments.
 */

/** Maximum concurrent exports in an isolate, per account and in total. */
export const EXPORTS_MAX = { account: 4, isolate: 32 } as const;

/** How long an export waits for its client to read a page: 17 KB a second. */
export const EXPORT_IDLE_MAX_MS = 60_000;

export interface ExportSlot {
  accountId: string;
  /** When a page was last read, epoch ms. */
  usedAt: number;
}

export class ExportSlots {
  readonly #slots = new Set<ExportSlot>();

  /** @returns the slot, or which limit is reached if none is free */
  take(accountId: string, now: number): ExportSlot | keyof typeof EXPORTS_MAX {
    this.#dropAbandoned(now);
    const slots = [...this.#slots];
    if (slots.length >= EXPORTS_MAX.isolate) return "isolate";
    if (slots.filter((slot) => slot.accountId === accountId).length >= EXPORTS_MAX.account) return "account";
    const slot = { accountId, usedAt: now };
    this.#slots.add(slot);
    return slot;
  }

  release(slot: ExportSlot): void {
    this.#slots.delete(slot);
  }

  /**
   * The runtime may end a request without notifying its stream. Exports that are still running end themselves when
   * idle.
   */
  #dropAbandoned(now: number): void {
    for (const slot of this.#slots) {
      if (now - slot.usedAt > 2 * EXPORT_IDLE_MAX_MS) this.#slots.delete(slot);
    }
  }
}
