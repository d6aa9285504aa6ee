/**
 * A proxy between the clients of streams and the server. It leaves its connection to the server open when a client has
 * left, until there is something to forward, as many proxies do; and it cuts them where a test wants it.
 */
import type { Buffer } from "node:buffer";
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { listenOnFreePort } from "./ports.ts";

export class BreakingProxy {
  port = 0;
  /** Statuses of the streams that were asked for, in order. */
  readonly statuses: number[] = [];
  readonly #target: URL;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isDown = false;
  /** Where the next stream that has this text breaks off, how, and what to do then. */
  #cut: { behind: string; how: "ended" | "broken"; done: () => void } | null = null;

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
   * Forwards a stream up to the end of this text; then there is no connection, nor any new one. A client has read all of a
   * response that has ended, but may throw away the last of one that was broken.
   * @returns once it has
   */
  cutBehind(text: string, how: "ended" | "broken"): Promise<void> {
    return new Promise((done) => {
      this.#cut = { behind: text, how, done };
    });
  }

  /** Takes connections again. */
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
      let sent = "";
      response.on("data", (chunk: Buffer) => {
        if (outgoing.destroyed) return upstream.destroy();
        sent += chunk.toString("latin1");
        return this.#write(chunk, sent, outgoing);
      });
      response.once("end", () => outgoing.end());
    });
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  }

  /** @param sent  all of the response, with this chunk */
  #write(chunk: Buffer, sent: string, outgoing: ServerResponse): void {
    const found = this.#cut ? sent.indexOf(this.#cut.behind) : -1;
    if (!this.#cut || found < 0) {
      outgoing.write(chunk);
      return;
    }
    const { behind, how, done } = this.#cut;
    this.#cut = null;
    const end = chunk.length - (sent.length - found - behind.length);
    const disconnect = () => {
      this.#disconnect();
      done();
    };
    if (how === "ended") outgoing.end(chunk.subarray(0, end), disconnect);
    else outgoing.write(chunk.subarray(0, end), disconnect);
  }
}
