/** Uploads of static assets in the stand-in for Cloudflare's API: a session names the files that are not known yet. */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

import { type ApiRequest, CloudflareError } from "./api-request.ts";
import type { Account, Manifest } from "./account.ts";
import { Created, type Routes } from "./api-server.ts";

const FILES_MAX = { free: 20_000, paid: 100_000 };
const FILE_BYTES_MAX = 25 * 1024 * 1024;
const BUCKET_FILES = 50;

interface Session {
  script: string;
  manifest: Manifest;
  isComplete: boolean;
}

export class AssetUploads {
  readonly #account: Account;
  readonly #key = crypto.randomUUID();
  readonly #sessions = new Map<string, Session>();

  constructor(account: Account) {
    this.#account = account;
  }

  readonly routes: Routes = {
    "POST /accounts/:account/workers/scripts/:script/assets-upload-session": (request) => this.#begin(request),
    "POST /accounts/:account/workers/assets/upload": (request) => this.#upload(request),
  };

  isUploadToken(token: string): boolean {
    const session = this.#sessions.get(token);
    return session !== undefined && !session.isComplete;
  }

  /** The assets of a version that names this token of a complete upload. */
  take(token: unknown, script: string): Manifest {
    const session = this.#sessions.get(String(token));
    if (!session?.isComplete || session.script !== script)
      throw new CloudflareError(400, 10021, "The assets token is invalid or the upload is not complete");
    return session.manifest;
  }

  #begin(request: ApiRequest) {
    const { manifest } = request.json<{ manifest?: Manifest }>();
    const script = request.param("script");
    if (
      !manifest ||
      Object.entries(manifest).some(([path, { hash }]) => !path.startsWith("/") || !/^\w{32}$/.test(hash))
    )
      throw new CloudflareError(400, 10021, "The manifest is malformed");
    const files = Object.values(manifest);
    if (files.length > FILES_MAX[this.#account.plan] || files.some(({ size }) => size > FILE_BYTES_MAX))
      throw new CloudflareError(400, 100_322, "Too many files, or one is too large");
    const missing = this.#missing(manifest);
    const jwt = this.#newToken({ script, manifest, isComplete: missing.length === 0 });
    const buckets = Array.from({ length: Math.ceil(missing.length / BUCKET_FILES) }, (_, i) =>
      missing.slice(i * BUCKET_FILES, (i + 1) * BUCKET_FILES),
    );
    return { jwt, buckets };
  }

  async #upload(request: ApiRequest) {
    const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
    const session = this.#sessions.get(token);
    if (!session || request.query("base64") !== "true") throw new CloudflareError(400, 10021, "base64 must be true");
    const wanted = new Set(Object.values(session.manifest).map(({ hash }) => hash));
    for (const [hash, file] of await request.form()) {
      if (typeof file === "string" || !wanted.has(hash))
        throw new CloudflareError(400, 10021, `${hash} is not in the manifest`);
      const content = Buffer.from(await (file as Blob).text(), "base64");
      this.#account.assets.set(hash, { content, type: (file as Blob).type });
    }
    if (this.#missing(session.manifest).length > 0) return {};
    return new Created({ jwt: this.#newToken({ ...session, isComplete: true }) });
  }

  #missing(manifest: Manifest): string[] {
    const hashes = new Set(Object.values(manifest).map(({ hash }) => hash));
    return [...hashes].filter((hash) => !this.#account.assets.has(hash));
  }

  /** A JSON Web Token, of which wrangler reads the payload. */
  #newToken(session: Session): string {
    const parts = [
      { alg: "HS256", typ: "JWT" },
      { jti: crypto.randomUUID(), exp: Math.floor(Date.now() / 1_000) + 3_600 },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const signature = createHmac("sha256", this.#key).update(parts.join(".")).digest("base64url");
    const token = [...parts, signature].join(".");
    this.#sessions.set(token, session);
    return token;
  }
}
