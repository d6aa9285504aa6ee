/** Receives signed events, and checks them with the reference library of Standard Webhooks. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { Webhook } from "standardwebhooks";

interface ReceivedEvent {
  id: string;
  event: Record<string, unknown>;
}

/** Its answer to one request. */
type Reply = { status: number; headers?: Record<string, string>; afterMs?: number };

export class WebhookReceiver {
  /** Events of requests with a valid signature that were answered with 2xx, in order. */
  readonly taken: ReceivedEvent[] = [];
  /** Ids of requests with a valid signature, including refused ones. */
  readonly seen: string[] = [];
  readonly forged: unknown[] = [];
  /** Replies to the next requests; then 204. */
  readonly replies: Reply[] = [];
  readonly #webhook: Webhook;
  #server: Server | null = null;
  #port = 0;

  constructor(secret: string) {
    this.#webhook = new Webhook(secret);
  }

  /** Starts, after a stop again on the same port. */
  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const id = this.#verify(body, request.headers as Record<string, string>);
      const { status, headers, afterMs = 0 } = this.replies.shift() ?? { status: 204 };
      if (afterMs > 0) await new Promise((done) => setTimeout(done, afterMs));
      if (id && status < 300) this.taken.push({ id, event: JSON.parse(body) });
      response.writeHead(status, headers).end();
    });
    this.#server = server;
    await new Promise<void>((done) => server.listen(this.#port, "127.0.0.1", done));
    this.#port = (server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** Stops, and cuts open connections. */
  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => (this.#server ? this.#server.close(done) : done(null)));
    this.#server = null;
  }

  #verify(body: string, headers: Record<string, string>): string | null {
    try {
      this.#webhook.verify(body, headers);
      const id = headers["webhook-id"] ?? "";
      this.seen.push(id);
      return id;
    } catch (error) {
      this.forged.push(error);
      return null;
    }
  }
}
