/**
 * Sends the history of links. Repeating an import sends nothing twice: its id is a digest of its file, and the server
 * answers how many clicks of it a link already has.
 */
import {
  BODY_MAX_BYTES,
  figure,
  IMPORT_CLICKS_PER_BULK_LINK,
  IMPORT_REQUEST_CLICKS_MAX,
  IMPORTED_CLICKS_MAX,
} from "../limits.ts";
import type { Me } from "../contract/me.ts";
import type { ImportApi } from "./import-api.ts";
import { type ImportedLink, refusalOf, sentence } from "./plan-import.ts";
import type { History } from "./read-history.ts";
import type { RefusedLink } from "./source-link.ts";

const FRAME_BYTES = 100;

export interface HistoryReport {
  /** Of the import, for undoing it. */
  id: string;
  /** Clicks that the links have from this import, or would have after a dry run. */
  clicks: number;
  /** Links that have some. */
  links: number;
  unmatched: number;
  unreadable: number;
  /** Links that exist without their history. */
  refused: RefusedLink[];
}

export interface HistoryRun {
  api: Pick<ImportApi, "putHistory">;
  signal: AbortSignal;
  isDryRun: boolean;
  onProgress: (progress: { phase: "history"; done: number; total: number }) => void;
}

/** A link that exists. */
export interface Settled {
  link: ImportedLink;
  id: string;
}

/** In the limit of bulk requests: the link, its tags, and a request with its history. */
const LINK_COST = 3;

/** Sends the history of links, and counts the results. */
export class HistorySender {
  readonly report: HistoryReport;
  readonly #history: History;
  readonly #run: HistoryRun;
  /**
   * Whether all links are created first. Otherwise, each gets its history before others are created: visitors may come,
   * after which it is too late.
   */
  readonly #isLate: boolean;
  readonly #waiting: Settled[] = [];
  #done = 0;

  /** @param links  number of all links of the import */
  constructor(history: History, links: number, { bulk_links_per_day: day }: Me["limits"], run: HistoryRun) {
    this.#history = history;
    this.#run = run;
    const { id, clicks, total, unmatched, unreadable } = history;
    this.report = { id, clicks: 0, links: 0, unmatched, unreadable, refused: [] };
    // The history must not use up the day's limit, which would leave links uncreated until tomorrow.
    const cost = (clicks ? total / IMPORT_CLICKS_PER_BULK_LINK : 0) + LINK_COST * links;
    this.#isLate = cost > day.max - day.used;
  }

  async send(links: readonly Settled[]): Promise<void> {
    for (const link of links) this.#waiting.push(link);
    if (!this.#isLate) await this.end();
  }

  /** Sends what waits. */
  async end(): Promise<void> {
    for (const { link, id } of this.#waiting.splice(0)) {
      const count = this.#countOf(link);
      try {
        // More would not fit into memory either.
        if (this.#history.clicks && count > IMPORTED_CLICKS_MAX) throw new Refusal(TOO_MANY);
        if (count > 0 && !this.#run.isDryRun) await this.#sendOne(link, id);
        this.report.clicks += count;
        this.report.links += count > 0 ? 1 : 0;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.report.refused.push(refusalOf(link, { reason: sentence(error.message), advice: ADVICE }));
      }
    }
  }

  #countOf({ key, clicks }: ImportedLink): number {
    return this.#history.clicks ? (this.#history.clicks.counts.get(key) ?? 0) : clicks;
  }

  async #sendOne(link: ImportedLink, id: string): Promise<void> {
    const { api, signal, onProgress } = this.#run;
    const { id: importId, clicks: store, total, until, source } = this.#history;
    signal.throwIfAborted();
    if (!store) {
      const body = { clicks_before: { clicks: link.clicks, until, source } };
      await api.putHistory(importId, id, body);
      return;
    }
    const clicks = await store.clicksOf(link.key);
    for (let offset = 0; offset < clicks.length;) {
      signal.throwIfAborted();
      const piece = pieceOf(clicks, offset).map((click): unknown => JSON.parse(click));
      const answer = await api.putHistory(importId, id, { offset, clicks: piece });
      // An earlier run may have sent more.
      const next = Math.max(offset + piece.length, answer.clicks);
      this.#done += Math.min(next, clicks.length) - offset;
      onProgress({ phase: "history", done: this.#done, total });
      offset = next;
    }
  }
}

function pieceOf(clicks: readonly string[], offset: number): string[] {
  const piece: string[] = [];
  let bytes = FRAME_BYTES;
  for (const click of clicks.slice(offset, offset + IMPORT_REQUEST_CLICKS_MAX)) {
    bytes += new TextEncoder().encode(click).length + 1;
    if (bytes > BODY_MAX_BYTES) break;
    piece.push(click);
  }
  return piece;
}

class Refusal extends Error {}

const TOO_MANY = `The link has more than ${figure(IMPORTED_CLICKS_MAX)} clicks.`;

const ADVICE = "The link exists without its earlier clicks. Undo an earlier import of them before you import others.";

/** Whether the history of this link is refused, and that of others may be accepted. */
function isRefusal(error: unknown): error is Error {
  const status = error instanceof Error && "status" in error ? Number(error.status) : 0;
  return error instanceof Refusal || [404, 409, 422].includes(status);
}
