/** A server whose answers a test chooses, request by request, and which records the requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { listenOnFreePort } from "./ports.ts";

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  /** Time by `performance.now()`. */
  at: number;
}

export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

export class ScriptedServer {
  base = "";
  readonly requests: ReceivedRequest[] = [];
  readonly #script: Reply[] = [];
  readonly #listener = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.base = `http://127.0.0.1:${await listenOnFreePort(server.#listener)}`;
    return server;
  }

  /** The replies to the next requests; the last one applies to all that follow. */
  willReply(...script: Reply[]): void {
    this.requests.length = 0;
    this.#script.splice(0, Infinity, ...script);
  }

  stop(): void {
    this.#listener.closeAllConnections();
    this.#listener.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const request = { method, path: url, headers, body: await text(incoming), at: performance.now() };
    this.requests.push(request);
    const reply = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    reply?.(response, request);
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

/** An error as the API answers it. */
export function apiError(status: number, code: string, headers: Record<string, string> = {}): Reply {
  const error = { code, message: `this is ${code}`, request_id: "req_1", doc_url: `http://x.test/#${code}` };
  return json(status, { error }, headers);
}

/** The connection breaks before an answer. */
export const hangUp: Reply = (response) => void response.socket?.destroy();

/** No answer ever arrives. */
export const hang: Reply = () => {};
