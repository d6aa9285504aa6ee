/**
 * A proxy between the clients of streams and the server. When a client has left, it keeps its connection to the server
 * open until there is something to forward, as many proxies do. It cuts streams when a test requests it.
 */
import type { Buffer } from "node:buffer";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { listenOnFreePort } from "./ports.ts";

/** Where a stream breaks off, how, and a callback for that moment. */
interface Cut {
  behind: string;
  how: "ended" | "broken";
  done: () => void;
  /** The last text of each stream since the cut was requested, since the searched text may span chunks. */
  tails: WeakMap<ServerResponse, string>;
}

export class BreakingProxy {
  port = 0;
  /** Statuses of the requested streams, in order. */
  readonly statuses: number[] = [];
  readonly #target: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isDown = false;
  #cut: Cut | null = null;

  /** @param target  origin of the server; requests reach it under its own host */
  static async start(target: string): Promise<BreakingProxy> {
    const proxy = new BreakingProxy(new URL(target));
    proxy.port = await listenOnFreePort(proxy.#server);
    return proxy;
  }

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing));
    this.#server.on("connection", (socket) => {
      if (this.#isDown) return socket.destroy();
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      return socket;
    });
  }

  /**
   * Forwards a stream up to the end of this text, when it next occurs. Then it drops all connections and accepts no new
   * ones. A client has read all of a response that has ended, but may discard the last data of a broken one.
   * @returns once it has
   */
  cutBehind(text: string, how: Cut["how"]): Promise<void> {
    return new Promise((done) => {
      this.#cut = { behind: text, how, done, tails: new WeakMap() };
    });
  }

  /** Accepts connections again. */
  mend(): void {
    this.#isDown = false;
  }

  stop(): void {
    this.#disconnect();
    this.#server.close();
  }

  #disconnect(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { hostname, port, host } = this.#target;
    const { method, url: path } = incoming;
    const upstream = request({ hostname, port, method, path, headers: { ...incoming.headers, host } }, (response) => {
      const { statusCode = 0, headers } = response;
      if (method === "GET" && path?.includes("/events/stream")) this.statuses.push(statusCode);
      outgoing.writeHead(statusCode, headers);
      let isCut = false;
      response.on("data", (chunk: Buffer) => {
        // Chunks that were read with the cut one arrive before its connection is gone.
        if (isCut || outgoing.destroyed) upstream.destroy();
        else isCut = this.#write(chunk, outgoing);
      });
      response.once("end", () => outgoing.end());
    });
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  }

  /** @returns whether the stream ends with this chunk */
  #write(chunk: Buffer, outgoing: ServerResponse): boolean {
    const cut = this.#cut;
    const end = cut && endOfText(chunk, outgoing, cut);
    if (!cut || end === null) {
      outgoing.write(chunk);
      return false;
    }
    this.#cut = null;
    const disconnect = () => {
      this.#disconnect();
      cut.done();
    };
    if (cut.how === "ended") outgoing.end(chunk.subarray(0, end), disconnect);
    else outgoing.write(chunk.subarray(0, end), disconnect);
    return true;
  }
}

/** @returns where the text of the cut ends in a chunk; null when it does not */
function endOfText(chunk: Buffer, outgoing: ServerResponse, { behind, tails }: Cut): number | null {
  const tail = tails.get(outgoing) ?? "";
  const text = tail + chunk.toString("latin1");
  tails.set(outgoing, text.slice(-behind.length));
  const found = text.indexOf(behind);
  return found < 0 ? null : found + behind.length - tail.length;
}
