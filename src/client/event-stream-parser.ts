/** Parses server-sent events from text that arrives in arbitrary pieces (HTML standard, 9.2.6). */
import { malformedStream } from "./error-response.ts";

export interface ServerSentEvent {
  type: string;
  data: string;
  /** The event's own id, or that of the last event before it that had one. */
  id: string;
}

/** No event of the service is nearly as long. Endless input must not fill the memory. */
const EVENT_MAX_CHARS = 1_000_000;

const LINE_END = /\r\n?|\n/g;

export class EventStreamParser {
  /** How long the stream asks clients to wait before they reconnect. */
  retryMs: number | undefined;
  #id = "";
  #type = "";
  #data: string[] = [];
  /** The beginning of an incomplete line, in the pieces that have arrived. */
  #begun: string[] = [];
  /** Length of the incomplete event. */
  #chars = 0;
  #endedInCr = false;

  /** @returns the events completed by this piece @throws HoplinkError if an event is too long */
  push(piece: string): ServerSentEvent[] {
    // The second half of a CRLF that was split in two does not end another line.
    const text = this.#endedInCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") this.#endedInCr = piece.endsWith("\r");
    const events: ServerSentEvent[] = [];
    let start = 0;
    for (const { 0: end, index } of text.matchAll(LINE_END)) {
      this.#take(text.slice(start, index));
      start = index + end.length;
      const event = this.#endLine();
      if (event) events.push(event);
    }
    this.#take(text.slice(start));
    return events;
  }

  #take(part: string): void {
    this.#chars += part.length;
    if (this.#chars > EVENT_MAX_CHARS) throw malformedStream(`an event exceeds ${EVENT_MAX_CHARS} characters`);
    this.#begun.push(part);
  }

  #endLine(): ServerSentEvent | null {
    const line = this.#begun.join("");
    this.#begun = [];
    if (line === "") return this.#endEvent();
    const colon = line.indexOf(":");
    if (colon === 0) this.#chars -= line.length;
    else if (colon < 0) this.#setField(line, "");
    else this.#setField(line.slice(0, colon), line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1));
    return null;
  }

  #setField(name: string, value: string): void {
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  /** An event without data is ignored. */
  #endEvent(): ServerSentEvent | null {
    const event = { type: this.#type || "message", data: this.#data.join("\n"), id: this.#id };
    const hasData = this.#data.length > 0;
    this.#type = "";
    this.#data = [];
    this.#chars = 0;
    return hasData ? event : null;
  }
}
