/**
 * The edge of the stand-in for Cloudflare: accepts requests for any host on one port, by their Host header, and
 * forwards each to a version of the Worker that the host leads to, in the shares of the last deployment.
 */
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestOf,
  type Server,
  type ServerResponse,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

import { listenOnFreePort } from "../ports.ts";
import { type Account, deployedVersions, type Script, type Version } from "./account.ts";
import { isObfuscated, obfuscateAddresses } from "./email-obfuscation.ts";
import { DATABASE_HEADER, type Runtime, SCHEME_HEADER, WORKER_HEADER, workerName } from "./runtime.ts";
import { BROWSER_CHECK, zoneOfHost } from "./zones.ts";

/** Location of visitors, as the edge reports it to Workers. */
const PLACE = {
  country: "NL",
  city: "Amsterdam",
  region: "North Holland",
  continent: "EU",
  colo: "AMS",
  asOrganization: "Example",
};
/** An address of a range for documentation. */
const VISITOR_ADDRESS = "203.0.113.7";
/**
 * Request headers of the stand-in itself. Those that Cloudflare replaces are below. All others arrive as sent, even
 * `True-Client-IP`.
 */
const OWN_HEADERS = new Set(["mf-cf-blob", DATABASE_HEADER, SCHEME_HEADER, WORKER_HEADER]);
const REMOVED_FROM_RESPONSES = /^x-accel-(?:buffering|charset|limit-rate|redirect)$/i;
const REMOVED_FROM_CHANGED_RESPONSES = /^(?:x-accel-.*|content-(?:encoding|length)|transfer-encoding)$/i;

/** How a request is passed to a Worker. */
interface Passing {
  worker: string;
  host: string;
  scheme: string;
  hidesAddresses: boolean;
}

export class Edge {
  /** For `EDGE_ADDRESS`. */
  address = "";
  /** Requests received, as "METHOD host/path". */
  readonly requests: string[] = [];
  /** How many streams break off once they are ready, as when an operator opens the live logs. */
  streamsToBreak = 0;
  /** How many requests each version of each deployment has served. A new deployment starts at zero with its shares. */
  readonly #served = new Map<string, number>();
  readonly #account: Account;
  readonly #runtime: Runtime;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });

  static async start(account: Account, runtime: Runtime): Promise<Edge> {
    const edge = new Edge(account, runtime);
    edge.address = `127.0.0.1:${await listenOnFreePort(edge.#server)}`;
    return edge;
  }

  private constructor(account: Account, runtime: Runtime) {
    this.#account = account;
    this.#runtime = runtime;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#agent.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = this.#hostOf(request);
    this.requests.push(`${request.method} ${host}${request.url}`);
    const script = this.#scriptAt(host);
    if (script && !this.#account.readyHosts.has(host)) {
      this.#account.readyHosts.add(host);
      response.destroy();
      return;
    }
    // All arrive at one port, so the project's commands send what the edge would learn from the port.
    const scheme = request.headers["x-forwarded-proto"] === "http" ? "http:" : "https:";
    const zone = zoneOfHost(this.#account, host);
    const { always_use_https, browser_check, email_obfuscation } = zone?.settings ?? {};
    if (scheme === "http:" && always_use_https === "on") {
      response.writeHead(301, { Location: `https://${host}${request.url}` });
      response.end();
      return;
    }
    if (browser_check === "on" && BROWSER_CHECK.refused.test(request.headers["user-agent"] ?? "")) {
      response.writeHead(403, { "Content-Type": "text/plain; charset=UTF-8" });
      response.end(BROWSER_CHECK.text);
      return;
    }
    if (request.url === "/cdn-cgi/trace") return void response.end(`h=${host}\ncolo=${PLACE.colo}\n`);
    const version = script && (overriding(script, request) ?? this.#pick(script));
    if (!script || !version) {
      response.writeHead(404, { "Content-Type": "text/html" });
      response.end("<h1>There is nothing here yet</h1>");
      return;
    }
    if (zone) request.url = normalizedUrl(request.url ?? "/");
    const passing = { worker: workerName(script, version), host, scheme, hidesAddresses: email_obfuscation === "on" };
    await this.#runtime.use(() => this.#pass(request, response, passing));
  }

  /** Programs that cannot set the host request this server itself: they mean the only Worker. */
  #hostOf({ headers }: IncomingMessage): string {
    const host = (headers.host ?? "").toLowerCase();
    const [only] = this.#account.scripts.keys();
    if (host !== this.address || only === undefined) return host;
    const domain = this.#account.domains.find(({ service }) => service === only);
    return domain?.hostname ?? `${only}.${this.#account.subdomain}.workers.dev`;
  }

  #scriptAt(host: string): Script | undefined {
    const { scripts, subdomain, domains } = this.#account;
    const domain = domains.find(({ hostname }) => hostname === host);
    if (domain) return scripts.get(domain.service);
    return [...scripts.values()].find(
      ({ name, onWorkersDev }) => onWorkersDev && host === `${name}.${subdomain}.workers.dev`,
    );
  }

  /** The version that is furthest behind its share. */
  #pick(script: Script): Version | undefined {
    const running = deployedVersions(script).filter(({ percentage }) => percentage > 0);
    const keyOf = ({ version }: (typeof running)[number]) => `${script.deployments.at(-1)?.id} ${version.id}`;
    const dueOf = (one: (typeof running)[number]) => ((this.#served.get(keyOf(one)) ?? 0) + 1) / one.percentage;
    const [next] = running.toSorted((a, b) => dueOf(a) - dueOf(b));
    if (next) this.#served.set(keyOf(next), (this.#served.get(keyOf(next)) ?? 0) + 1);
    return next?.version;
  }

  #pass(request: IncomingMessage, response: ServerResponse, passing: Passing): Promise<void> {
    const { method, url: path } = request;
    const headers = headersForWorker(request.headers, passing);
    return new Promise((done, fail) => {
      const passed = requestOf(
        { host: "127.0.0.1", port: this.#runtime.port, agent: this.#agent, method, path, headers },
        (answer) => {
          if (this.streamsToBreak > 0 && answer.headers["content-type"]?.startsWith("text/event-stream"))
            answer.on("data", (chunk) => {
              if (this.streamsToBreak === 0 || !String(chunk).includes("event: ready")) return;
              this.streamsToBreak -= 1;
              setImmediate(() => response.destroy());
            });
          passBack(answer, response, passing.hidesAddresses).catch(() => response.destroy());
        },
      );
      passed.once("error", fail);
      response.once("close", () => {
        passed.destroy();
        done();
      });
      request.pipe(passed);
    });
  }
}

/**
 * https://developers.cloudflare.com/fundamentals/reference/http-headers/, and what Workers were seen to get:
 * https://github.com/cloudflare/cloudflare-docs/pull/5871
 */
function headersForWorker(sent: IncomingHttpHeaders, { worker, host, scheme }: Passing): IncomingHttpHeaders {
  const kept = Object.entries(sent).filter(([name]) => !OWN_HEADERS.has(name) && !name.includes("."));
  const { "x-forwarded-for": proxies, "accept-encoding": clientAcceptEncoding = "" } = sent;
  const protocol = scheme.slice(0, -1);
  return {
    ...Object.fromEntries(kept),
    host,
    "accept-encoding": "br, gzip",
    "cdn-loop": "cloudflare",
    "cf-connecting-ip": VISITOR_ADDRESS,
    "cf-ipcountry": PLACE.country,
    "cf-ray": `230b030023ae2822-${PLACE.colo}`,
    "cf-visitor": JSON.stringify({ scheme: protocol }),
    "x-forwarded-for": [proxies, VISITOR_ADDRESS].flat().filter(Boolean).join(","),
    "x-forwarded-proto": protocol,
    "x-real-ip": VISITOR_ADDRESS,
    "mf-cf-blob": JSON.stringify({ ...PLACE, clientAcceptEncoding }),
    [SCHEME_HEADER]: scheme,
    [WORKER_HEADER]: worker,
  };
}

async function passBack(answer: IncomingMessage, response: ServerResponse, hidesAddresses: boolean): Promise<void> {
  const { statusCode = 502, rawHeaders, headers } = answer;
  const headersWithout = (removed: RegExp) => rawHeaders.filter((_, i) => !removed.test(rawHeaders[i - (i % 2)] ?? ""));
  if (!hidesAddresses || !isObfuscated(headers)) {
    response.writeHead(statusCode, headersWithout(REMOVED_FROM_RESPONSES));
    answer.pipe(response);
    answer.once("error", () => response.destroy());
    return;
  }
  const body = await buffer(answer);
  const page = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
  response.writeHead(statusCode, headersWithout(REMOVED_FROM_CHANGED_RESPONSES));
  response.end(obfuscateAddresses(page.toString()));
}

/**
 * A URL as the setting "Normalize incoming URLs", which is on in a new zone, passes it to Workers: unreserved characters
 * decoded, others encoded, backslashes turned into slashes, slashes merged, and dot segments resolved.
 */
export function normalizedUrl(url: string): string {
  const queryAt = url.includes("?") ? url.indexOf("?") : url.length;
  const decoded = url.slice(0, queryAt).replaceAll(/%[\da-f]{2}/gi, (text) => {
    const character = String.fromCharCode(Number.parseInt(text.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : text.toUpperCase();
  });
  return new URL(decoded.replaceAll(/[\\/]+/g, "/"), "https://zone").pathname + url.slice(queryAt);
}

/** The version that the request's header names, if it belongs to the deployment, even with a share of 0 %. */
function overriding(script: Script, { headers }: IncomingMessage): Version | undefined {
  const overrides = String(headers["cloudflare-workers-version-overrides"] ?? "").split(/\s*,\s*/);
  const wanted = overrides.flatMap((text) => /^([\w-]+)="([\w-]+)"$/.exec(text)?.slice(1, 3) ?? []);
  const id = wanted[wanted.indexOf(script.name) + 1];
  if (!wanted.includes(script.name)) return undefined;
  return deployedVersions(script).find(({ version }) => version.id === id)?.version;
}
