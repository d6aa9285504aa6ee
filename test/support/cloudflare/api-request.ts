/** A request of Cloudflare's API as its handlers read it, and the errors that they answer. */
import type { Buffer } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";

/** An answer with one of the API's own codes. */
export class CloudflareError extends Error {
  readonly status: number;
  readonly code: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export class ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly #params: Record<string, string>;

  constructor(method: string, url: URL, headers: IncomingHttpHeaders, body: Buffer, params: Record<string, string>) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = body;
    this.#params = params;
  }

  /** A part of the path. */
  param(name: string): string {
    const value = this.#params[name];
    if (value === undefined) throw new Error(`the route has no :${name}`);
    return value;
  }

  query(name: string): string | null {
    return this.url.searchParams.get(name);
  }

  json<T = Record<string, unknown>>(): T {
    try {
      return JSON.parse(this.body.toString()) as T;
    } catch {
      throw new CloudflareError(400, 6007, "Malformed JSON in request body");
    }
  }

  async form(): Promise<FormData> {
    const type = this.headers["content-type"] ?? "";
    if (!type.startsWith("multipart/form-data"))
      throw new CloudflareError(415, 10004, "Content-Type must be multipart/form-data");
    return new Response(new Uint8Array(this.body), { headers: { "Content-Type": type } }).formData();
  }
}

/** One page of a list, with the API's paging information. */
export class Page {
  readonly items: unknown[];
  readonly info: Record<string, number>;

  constructor(request: ApiRequest, all: readonly unknown[]) {
    const perPage = Number(request.query("per_page") ?? 20);
    const page = Number(request.query("page") ?? 1);
    if (!(perPage >= 1 && perPage <= 1_000 && page >= 1))
      throw new CloudflareError(400, 6003, "Invalid request: page or per_page");
    this.items = all.slice((page - 1) * perPage, page * perPage);
    this.info = {
      page,
      per_page: perPage,
      count: this.items.length,
      total_count: all.length,
      total_pages: Math.ceil(all.length / perPage),
    };
  }
}
