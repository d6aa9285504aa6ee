/**
 * A stand-in for Cloudflare on 127.0.0.1: the part of its API that deployments need, as strict as the public reference
 * says, and an edge that serves the uploads, in workerd. The environment points wrangler and the project's own commands
 * at it.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type HostReply, type HostRequest, requestHost } from "../../../src/cli/deployment/host-request.ts";
import { type Account, newAccount, type Script } from "./account.ts";
import { CloudflareError } from "./api-request.ts";
import { ApiServer, type Handler, type Routes } from "./api-server.ts";
import { analyticsRoutes } from "./analytics.ts";
import { AssetUploads } from "./assets.ts";
import { bucketRoutes } from "./buckets.ts";
import { databaseRoutes } from "./databases.ts";
import { Edge } from "./edge.ts";
import { identityRoutes } from "./identity.ts";
import { namespaceRoutes } from "./namespaces.ts";
import { Runtime, STORAGE } from "./runtime.ts";
import { scriptRoutes } from "./scripts.ts";
import { zoneRoutes } from "./zones.ts";

/** wrangler's code, compiled: each command starts it again. */
const COMPILE_CACHE = resolve(import.meta.dirname, "../../../node_modules/.cache/hoplink-compiled");
const API_TOKEN = "Sn3lZJTBX6kkg7OdcBUAxOO963GEIyGQqnFTOFYY";

export class Cloudflare {
  readonly account: Account;
  readonly api: ApiServer;
  readonly edge: Edge;
  readonly runtime: Runtime;
  readonly #others: Account[];
  readonly #folder: string;

  /** @param state  how the account differs from a new one on the free plan, with R2 and a name under workers.dev */
  static async start(state: Partial<Account> = {}): Promise<Cloudflare> {
    const account = { ...newAccount(), ...state };
    const folder = mkdtempSync(join(tmpdir(), "hoplink-cloudflare-"));
    mkdirSync(join(folder, "temporary"));
    const runtime = new Runtime(account, folder);
    const uploads = new AssetUploads(account);
    const others: Account[] = [];
    const edge = await Edge.start(account, runtime);
    const routes = ofAccount(account, {
      ...identityRoutes(() => [...others, account], account, new Set(["taken", "hoplink"])),
      ...databaseRoutes(account, runtime),
      ...bucketRoutes(account, runtime),
      ...namespaceRoutes(account),
      ...uploads.routes,
      ...scriptRoutes(account, uploads, runtime),
      ...zoneRoutes(account),
      ...analyticsRoutes(account, edge),
    });
    const api = await ApiServer.start(API_TOKEN, routes, (token) => uploads.isUploadToken(token));
    return new Cloudflare(account, others, api, edge, runtime, folder);
  }

  private constructor(
    account: Account,
    others: Account[],
    api: ApiServer,
    edge: Edge,
    runtime: Runtime,
    folder: string,
  ) {
    this.account = account;
    this.#others = others;
    this.api = api;
    this.edge = edge;
    this.runtime = runtime;
    this.#folder = folder;
  }

  /**
   * Copies it, account contents included. This one must not be in use during the copy.
   * @param state  how the account differs
   */
  async copy(state: Partial<Account> = {}): Promise<Cloudflare> {
    await this.runtime.stop();
    const copy = await Cloudflare.start({ ...structuredClone(this.account), ...state });
    cpSync(join(this.#folder, STORAGE), join(copy.#folder, STORAGE), { recursive: true });
    return copy;
  }

  /** Gives the person other accounts, in which nothing can be done. */
  addAccount(name: string): void {
    this.#others.push({ ...newAccount(), name });
  }

  /** Points wrangler and the project's commands here. No setting of the machine's own account is left. */
  get environment(): Record<string, string> {
    return {
      CLOUDFLARE_API_BASE_URL: this.api.url,
      CLOUDFLARE_API_TOKEN: API_TOKEN,
      CLOUDFLARE_ACCOUNT_ID: this.account.id,
      EDGE_ADDRESS: this.edge.address,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_LOG_SANITIZE: "true",
      WRANGLER_HOME: this.#folder,
      XDG_CONFIG_HOME: this.#folder,
      TMPDIR: this.temporaryFolder,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      CI: "1",
    };
  }

  /** Folder of the commands: other tests deploy at the same time, and files left in it are from these commands. */
  get temporaryFolder(): string {
    return join(this.#folder, "temporary");
  }

  script(name: string): Script {
    const script = this.account.scripts.get(name);
    if (!script) throw new Error(`no Worker ${name}`);
    return script;
  }

  /** A visitor's request, whose redirects are not followed. It arrives when the host has its certificate. */
  visit(url: string, init: HostRequest = {}): Promise<HostReply> {
    this.account.readyHosts.add(new URL(url).host);
    return requestHost(url, init, this.edge.address);
  }

  /** Visits a path as written: a URL would resolve its dot segments. */
  visitPath(host: string, path: string): Promise<{ status: number | undefined; location: string | undefined }> {
    this.account.readyHosts.add(host);
    const [hostname, port] = this.edge.address.split(":");
    return new Promise((done, fail) => {
      const sent = get({ hostname, port, path, headers: { Host: host, "User-Agent": "test" } }, (response) => {
        response.resume();
        done({ status: response.statusCode, location: response.headers.location });
      });
      sent.once("error", fail);
    });
  }

  async stop(): Promise<void> {
    this.api.stop();
    this.edge.stop();
    await this.runtime.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Restricts paths of an account to this account. */
function ofAccount({ id }: Account, routes: Routes): Routes {
  const guarded = (handler: Handler): Handler => {
    return (request) => {
      if (request.param("account") === id) return handler(request);
      throw new CloudflareError(
        404,
        7003,
        `Could not route to ${request.url.pathname}, perhaps your object identifier is invalid?`,
      );
    };
  };
  return Object.fromEntries(
    Object.entries(routes).map(([route, handler]) => [route, route.includes(":account") ? guarded(handler) : handler]),
  );
}
