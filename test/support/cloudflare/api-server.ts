/**
 * The server of the stand-in for Cloudflare's API: finds the handler of a path, checks the token, and puts answers and
 * errors into the API's envelope. Requests without a handler are answered as an unknown path.
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { listenOnFreePort } from "../ports.ts";
import { ApiRequest, CloudflareError, Page } from "./api-request.ts";

const BASE_PATH = "/client/v4";
/** https://developers.cloudflare.com/fundamentals/api/reference/limits/ */
const CALLS_MAX = 1_200;
const WINDOW_MS = 300_000;

export type Handler = (request: ApiRequest) => unknown;
/** Handlers by "METHOD /path/:part". */
export type Routes = Record<string, Handler>;

/** The result of the next matching call: an answer, or none at all. */
interface Failure {
  call: RegExp;
  answer: CloudflareError | "silent";
  times: number;
}

interface Route {
  method: string;
  pattern: RegExp;
  handler: Handler;
}

export class ApiServer {
  /** Calls received, as "METHOD /path?query". */
  readonly calls: string[] = [];
  /** For `CLOUDFLARE_API_BASE_URL`. */
  url = "";
  /** Calls that the token may not make: they are answered as without the permission. */
  denied: RegExp[] = [];
  /** Notified of each call before it is handled. */
  onCall: (call: string) => void = () => {};
  /** Silent calls that their caller has given up. */
  abandoned = 0;
  readonly #failures: Failure[] = [];
  #window = { endsAt: 0, calls: 0 };
  readonly #routes: Route[];
  readonly #token: string;
  readonly #server: Server;

  /** @param isUploadToken  whether a token belongs to an upload of assets, where it replaces the account's token */
  static async start(token: string, routes: Routes, isUploadToken: (token: string) => boolean): Promise<ApiServer> {
    const api = new ApiServer(token, routes, isUploadToken);
    api.url = `http://127.0.0.1:${await listenOnFreePort(api.#server)}${BASE_PATH}`;
    return api;
  }

  private constructor(token: string, routes: Routes, isUploadToken: (token: string) => boolean) {
    this.#token = token;
    this.#routes = Object.entries(routes).map(parseRoute);
    this.#server = createServer((request, response) => {
      this.#handle(request, response, isUploadToken).catch((error: unknown) => {
        console.error("stand-in for Cloudflare's API:", request.method, request.url, error);
        respond(response, 500, failed(10001, "Internal error"));
      });
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Lets the next calls fail that match "METHOD /path". */
  fail(call: RegExp, answer: CloudflareError | "silent", times = 1): void {
    this.#failures.push({ call, answer, times });
  }

  async #handle(request: IncomingMessage, response: ServerResponse, isUploadToken: (token: string) => boolean) {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "", "http://api");
    const method = request.method ?? "";
    const path = url.pathname.slice(BASE_PATH.length);
    this.calls.push(`${method} ${path}${url.search}`);
    this.onCall(`${method} ${path}${url.search}`);
    const failure = this.#takeFailure(`${method} ${path}`);
    if (failure === "silent") return void response.once("close", () => (this.abandoned += 1));
    try {
      if (failure) throw failure;
      this.#countCall();
      if (!url.pathname.startsWith(`${BASE_PATH}/`)) throw unknownPath(url.pathname);
      this.#authorize(request.headers.authorization, `${method} ${path}`, isUploadToken);
      const { handler, params } = this.#find(method, path);
      const answer = await handler(new ApiRequest(method, url, request.headers, Buffer.concat(chunks), params));
      if (answer instanceof Buffer) response.end(answer);
      else if (answer instanceof Stored) response.writeHead(200, { ETag: `"${answer.etag}"` }).end();
      else respond(response, answer instanceof Created ? 201 : 200, succeeded(answer));
    } catch (error) {
      if (!(error instanceof CloudflareError)) throw error;
      const { retryAfterSeconds } = error;
      if (retryAfterSeconds !== undefined) response.setHeader("Retry-After", retryAfterSeconds);
      respond(response, error.status, failed(error.code, error.message));
    }
  }

  #countCall(): void {
    const now = performance.now();
    if (now >= this.#window.endsAt) this.#window = { endsAt: now + WINDOW_MS, calls: 0 };
    if (++this.#window.calls <= CALLS_MAX) return;
    const seconds = Math.ceil((this.#window.endsAt - now) / 1_000);
    throw new CloudflareError(429, 971, "Please wait and consider throttling your request speed", seconds);
  }

  #takeFailure(call: string): Failure["answer"] | null {
    const failure = this.#failures.find((one) => one.times > 0 && one.call.test(call));
    if (!failure) return null;
    failure.times -= 1;
    return failure.answer;
  }

  #authorize(header: string | undefined, call: string, isUploadToken: (token: string) => boolean): void {
    if (call.startsWith("PUT /uploads/")) return;
    if (header === undefined) throw new CloudflareError(400, 9106, "Missing X-Auth-Key, X-Auth-Email or Authorization");
    const token = /^Bearer (\S+)$/.exec(header)?.[1];
    if (token === undefined) throw new CloudflareError(400, 6003, "Invalid request headers");
    if (/^POST \/accounts\/\w+\/workers\/assets\/upload/.test(call)) {
      if (!isUploadToken(token)) throw new CloudflareError(401, 10000, "Authentication error");
      return;
    }
    if (token !== this.#token) throw new CloudflareError(403, 9109, "Invalid access token");
    if (this.denied.some((denied) => denied.test(call))) throw new CloudflareError(403, 10000, "Authentication error");
  }

  #find(method: string, path: string): { handler: Handler; params: Record<string, string> } {
    const matches = this.#routes.flatMap((route) => {
      const found = route.pattern.exec(path);
      return found ? [{ ...route, params: found.groups ?? {} }] : [];
    });
    if (matches.length === 0) throw unknownPath(path);
    const match = matches.find((route) => route.method === method);
    if (!match) throw new CloudflareError(405, 10405, "Method not allowed for this authentication scheme");
    const params = Object.entries(match.params).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { handler: match.handler, params: Object.fromEntries(params) as Record<string, string> };
  }
}

/** An answer with status 201. */
export class Created {
  readonly result: unknown;

  constructor(result: unknown) {
    this.result = result;
  }
}

/** The answer to an upload, for which its address is sufficient. */
export class Stored {
  readonly etag: string;

  constructor(etag: string) {
    this.etag = etag;
  }
}

function parseRoute([route, handler]: [string, Handler]): Route {
  const [method = "", path = ""] = route.split(" ");
  // An object's name in a bucket has slashes.
  const pattern = path.replaceAll(/:(\w+)\*/g, "(?<$1>.+)").replaceAll(/:(\w+)/g, "(?<$1>[^/]+)");
  return { method, pattern: new RegExp(`^${pattern}$`), handler };
}

function unknownPath(path: string): CloudflareError {
  return new CloudflareError(404, 7003, `Could not route to ${path}, perhaps your object identifier is invalid?`);
}

function succeeded(answer: unknown): object {
  const result = answer instanceof Created ? answer.result : answer;
  const envelope = { success: true, errors: [], messages: [] };
  if (result instanceof Page) return { ...envelope, result: result.items, result_info: result.info };
  return { ...envelope, result: result ?? null };
}

function failed(code: number, message: string): object {
  return { success: false, errors: [{ code, message }], messages: [], result: null };
}

function respond(response: ServerResponse, status: number, envelope: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(envelope));
}
