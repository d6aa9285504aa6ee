/**
 * The body of an export. It requests the next page from the object when the client has read the previous one. Memory
 * therefore does not grow with the log, and nothing is read for a client that has gone. An early end always breaks the
 * connection, so a client never mistakes a part for the whole.
 */
import { joinedBytes } from "../../core/encoding/bytes.ts";
import { EXPORT_IDLE_MAX_MS } from "../../core/memory/export-slots.ts";

/** A page of an export. `Place` is the type of its rows' positions. */
export interface ExportedPage<Place> {
  bytes: Uint8Array;
  /** Where the next page begins; null after the last one. */
  next: Place | null;
}

export interface ExportSource<Place> {
  /** Text before the rows. */
  head: string;
  first: ExportedPage<Place>;
  /** @throws when the rest is unavailable */
  readPage: (after: Place) => Promise<ExportedPage<Place>>;
  isStillAllowed: () => Promise<boolean>;
  /** Called when the client is ready for more. */
  onRead: () => void;
  /** Called once, at the end or on failure. */
  onEnd: () => void;
}

/** An export ends within ten seconds after its key is revoked, as streams do. */
const ACCESS_CHECK_INTERVAL_MS = 5_000;

export function exportStream<Place>(source: ExportSource<Place>): ReadableStream<Uint8Array> {
  const body = new ExportBody(source);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => body.start(controller),
      pull: () => body.sendNext(),
      cancel: () => body.end(),
    },
    // Disables reading ahead.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}

class ExportBody<Place> {
  readonly #source: ExportSource<Place>;
  /** Null before the start and after the end. */
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #checkedAt = Date.now();
  /** Read but not yet sent. */
  #page: ExportedPage<Place> | null;
  #next: Place | null;

  constructor(source: ExportSource<Place>) {
    const { head, first } = source;
    this.#source = source;
    const bytes = joinedBytes([new TextEncoder().encode(head), first.bytes]);
    this.#page = bytes.length > 0 ? { ...first, bytes } : null;
    this.#next = first.next;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#waitForClient();
  }

  async sendNext(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#source.onRead();
    try {
      const page = this.#page ?? (await this.#readNext());
      this.#page = null;
      if (!this.#controller) return;
      if (page) this.#controller.enqueue(page.bytes);
      else this.#complete();
      this.#waitForClient();
    } catch (error) {
      this.#breakOff(error);
    }
  }

  /** Ends everything, once. */
  end(): void {
    if (!this.#controller) return;
    clearTimeout(this.#idleTimer);
    this.#controller = null;
    this.#page = null;
    this.#source.onEnd();
  }

  async #readNext(): Promise<ExportedPage<Place> | null> {
    while (this.#next !== null) {
      if (Date.now() - this.#checkedAt >= ACCESS_CHECK_INTERVAL_MS) await this.#checkAccess();
      const page = await this.#source.readPage(this.#next);
      this.#next = page.next;
      if (page.bytes.length > 0) return page;
    }
    return null;
  }

  async #checkAccess(): Promise<void> {
    this.#checkedAt = Date.now();
    // A failing database does not end access.
    if (!(await this.#source.isStillAllowed().catch(() => true))) throw new Error("access was revoked");
  }

  /** Ends the export if the client stops reading, so that it cannot hold a page indefinitely. */
  #waitForClient(): void {
    if (!this.#controller) return;
    const breakOff = () => this.#breakOff(new Error("the client stopped reading"));
    this.#idleTimer = setTimeout(breakOff, EXPORT_IDLE_MAX_MS);
  }

  #complete(): void {
    this.#controller?.close();
    this.end();
  }

  #breakOff(error: unknown): void {
    console.warn("export broken off", { error: String(error) });
    this.#controller?.error(error);
    this.end();
  }
}
