/**
 * Finds streams whose client has left. Behind a proxy that keeps its own connection open, the Worker learns that only
 * from a failed write, and between clicks nothing is written but heartbeats. When no slot is free, the Workers that hold
 * the slots are therefore asked to write a comment: those whose client has left close their sockets.
 */
import { PROBE_MESSAGE } from "../core/streams/stream-protocol.ts";

/** What a write was answered with, a reset where the client has left, fails the next one: so it takes two rounds. */
export const PROBE_ROUNDS = 4;
/** Longer than most round trips to a client. */
const ROUND_MS = 250;

export class SlotProbes {
  readonly #ctx: Pick<DurableObjectState, "getWebSockets">;
  /** Rounds that are under way, by the tag of their sockets. */
  readonly #rounds = new Map<string | undefined, Promise<void>>();

  constructor(ctx: Pick<DurableObjectState, "getWebSockets">) {
    this.#ctx = ctx;
  }

  /**
   * Has one comment written to each stream. Requests that wait at the same time share a round, so that a stream gets no
   * more comments however many they are.
   * @param tag  of the sockets; all of them when undefined
   */
  round(tag: string | undefined): Promise<void> {
    const running = this.#rounds.get(tag);
    if (running) return running;
    for (const socket of this.#ctx.getWebSockets(tag)) sendQuietly(socket, PROBE_MESSAGE);
    const round = new Promise<void>((done) => setTimeout(done, ROUND_MS)).then(() => void this.#rounds.delete(tag));
    this.#rounds.set(tag, round);
    return round;
  }
}

function sendQuietly(socket: WebSocket, message: string): void {
  try {
    socket.send(message);
  } catch {
    // It is closing.
  }
}
