/**
 * Counts the exports that an isolate sends at once. Each holds a page until its client has read it, and an isolate, in
 * which redirects run too, has 128 MB. No clock: times are arguments.
 */

/** Exports of one account, and of all, that an isolate sends at once. */
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

  /** @returns whose limit is reached where there is no slot */
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

  /** The runtime may end a request without telling its stream. Exports that live end themselves when they are idle. */
  #dropAbandoned(now: number): void {
    for (const slot of this.#slots) {
      if (now - slot.usedAt > 2 * EXPORT_IDLE_MAX_MS) this.#slots.delete(slot);
    }
  }
}
