/**
 * The part of Cloudflare's API that creates custom hostnames, on 127.0.0.1: paths, bodies, states, codes and statuses
 * as in the API's public reference. Tests set a hostname's state, and which calls fail.
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { listenOnFreePort } from "./ports.ts";

export const ZONE_ID = "023e105f4ecef8ad9ca31a8372d0c353";
export const API_TOKEN = "Sn3lZJTBX6kkg7OdcBUAxOO963GEIyGQqnFTOFYY";

interface Hostname {
  id: string;
  hostname: string;
  status: string;
  verification_errors?: string[];
  ssl: Record<string, unknown>;
}

/** A failing call: its status and the API's error code, or no response. */
export type InjectedFailure = { status: number; code: number; message: string } | "silent";

export class FakeCustomHostnameApi {
  /** For `CF_API_URL`. */
  url = "";
  /** Calls received, as "METHOD /path". */
  calls: string[] = [];
  readonly hostnames = new Map<string, Hostname>();
  /** Failures of the next calls, by method. */
  failures: Partial<Record<string, InjectedFailure>> = {};
  /** Whether to process requests without sending the responses. */
  dropsResponses = false;
  /** Awaited before each call is served. */
  beforeServing: (() => Promise<unknown>) | null = null;
  readonly #server: Server;

  static async start(): Promise<FakeCustomHostnameApi> {
    const api = new FakeCustomHostnameApi();
    api.url = `http://127.0.0.1:${await listenOnFreePort(api.#server)}/client/v4`;
    return api;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The hostname that was created for a domain. */
  hostnameOf(domain: string): Hostname | undefined {
    return [...this.hostnames.values()].find(({ hostname }) => hostname === domain);
  }

  /** Sets the state of a hostname, and of its certificate. */
  setStatus(domain: string, status: string, ssl: Record<string, unknown>, verification_errors?: string[]): void {
    const hostname = this.hostnameOf(domain);
    if (!hostname) throw new Error(`no custom hostname exists for ${domain}`);
    hostname.status = status;
    hostname.ssl = { ...hostname.ssl, ...ssl };
    if (verification_errors) hostname.verification_errors = verification_errors;
    else delete hostname.verification_errors;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "", "http://api");
    const method = request.method ?? "";
    this.calls.push(`${method} ${url.pathname}${url.search}`);
    await this.beforeServing?.();
    const trouble = this.failures[method];
    if (trouble === "silent") return;
    if (trouble) return respondError(response, trouble.status, trouble.code, trouble.message);
    if (request.headers.authorization !== `Bearer ${API_TOKEN}`)
      return respondError(response, 403, 10000, "Authentication error");
    const base = `/client/v4/zones/${ZONE_ID}/custom_hostnames`;
    if (!url.pathname.startsWith(base)) return respondError(response, 404, 7003, "Could not route");
    const id = url.pathname.slice(base.length + 1);
    const body = Buffer.concat(chunks).toString();
    this.#serve(
      this.dropsResponses ? null : response,
      method,
      id,
      body === "" ? {} : JSON.parse(body),
      url.searchParams,
    );
    if (this.dropsResponses) response.destroy();
  }

  #serve(
    response: ServerResponse | null,
    method: string,
    id: string,
    body: { hostname?: string; ssl?: Record<string, unknown> },
    query: URLSearchParams,
  ): void {
    if (method === "POST") return this.#create(response, body);
    if (id === "") {
      const wanted = query.get("hostname");
      const listed = [...this.hostnames.values()].filter(({ hostname }) => !wanted || hostname.includes(wanted));
      return respond(response, 200, listed);
    }
    const hostname = this.hostnames.get(id);
    if (!hostname) return respondError(response, 404, 1436, "The custom hostname was not found.");
    if (method === "DELETE") {
      this.hostnames.delete(id);
      return respond(response, 200, { id });
    }
    if (method === "PATCH") {
      hostname.status = "pending";
      hostname.ssl = { ...hostname.ssl, ...body.ssl, status: "pending_validation" };
    }
    return respond(response, method === "PATCH" ? 202 : 200, hostname);
  }

  #create(response: ServerResponse | null, { hostname = "", ssl = {} }: { hostname?: string; ssl?: object }): void {
    if (this.hostnameOf(hostname)) return respondError(response, 409, 1406, "Duplicate custom hostname found.");
    const id = crypto.randomUUID();
    const made: Hostname = {
      id,
      hostname,
      status: "pending",
      ssl: { ...ssl, id: crypto.randomUUID(), status: "initializing" },
    };
    this.hostnames.set(id, made);
    respond(response, 201, {
      ...made,
      ownership_verification: { type: "txt", name: `_cf-custom-hostname.${hostname}`, value: crypto.randomUUID() },
      created_at: new Date().toISOString(),
    });
  }
}

function respond(response: ServerResponse | null, status: number, result: unknown): void {
  response?.writeHead(status, { "Content-Type": "application/json" });
  response?.end(JSON.stringify({ success: true, errors: [], messages: [], result }));
}

function respondError(response: ServerResponse | null, status: number, code: number, message: string): void {
  response?.writeHead(status, { "Content-Type": "application/json" });
  response?.end(JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }));
}
