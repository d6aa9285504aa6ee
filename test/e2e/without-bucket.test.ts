/** Images of QR codes in a deployment without R2, and their move into a bucket that is bound later. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, Workerd, type WorkerModule } from "../support/workerd.ts";

vi.setConfig({ testTimeout: 120_000 });

const DAILY_CRON = "17 3 * * *";
/** More than one run of an alarm moves. */
const CODES = 30;
const LOGO =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'%3E%3Ccircle r='9' fill='%23c00'/%3E%3C/svg%3E";

let code: WorkerModule[];
let storage: string;

beforeAll(async () => {
  storage = mkdtempSync(join(tmpdir(), "hoplink-bucket-"));
  code = await bundleModules("src/worker.ts");
});

afterAll(() => rmSync(storage, { recursive: true, force: true }));

interface Served {
  workerd: Workerd;
  url: string;
  stop: () => Promise<void>;
}

async function serve(bucket: "with a bucket" | "without a bucket"): Promise<Served> {
  const port = await freePort();
  const { r2Buckets, ...bindings } = bindingsOf(`127.0.0.1:${port}`, { MAINTENANCE_CALLS: "32" });
  const worker = { name: "hoplink", code, port, ...bindings, ...(bucket === "with a bucket" ? { r2Buckets } : {}) };
  const workerd = await Workerd.start([worker], { storage, keepLog: "workers" });
  return { workerd, url: `http://127.0.0.1:${port}`, stop: () => workerd.stop() };
}

interface ReadImage {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

async function read({ url }: Served, name: string, init: RequestInit = {}): Promise<ReadImage> {
  const response = await fetch(`${url}/cdn/${name}`, init);
  const { date: _, connection: __, "x-request-id": ___, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** The images check as operators see it. */
async function imagesCheck({ url, workerd }: Served): Promise<string> {
  const DB = await workerd.database("hoplink");
  const token = await issueOperatorToken({ DB }, "operator", 60_000, Date.now());
  const response = await fetch(`${url}/health?deep`, { headers: { Authorization: `Bearer ${token}` } });
  const { checks } = (await response.json()) as { checks: { name: string; message: string }[] };
  return checks.find(({ name }) => name === "images")?.message ?? "";
}

const nameOf = ({ id, format }: QrCode) => `${id}.${format}`;

describe("without a bucket, and with one later", () => {
  let first: Served;
  let api: ApiClient;
  let accountId: string;
  let key: string;
  const codes: QrCode[] = [];
  const images = new Map<string, ReadImage>();

  beforeAll(async () => {
    first = await serve("without a bucket");
    const DB = await first.workerd.migratedDatabase("hoplink");
    ({ id: accountId } = await newTestAccount({ DB }));
    key = await issueKeyText({ DB }, accountId, "live", "test");
    api = new ApiClient(first.url, key);
    const link = await api.createLink();
    const make = async (look: object) => {
      codes.push(QrCode.parse(await api.call("POST", "/v1/qr", { link_id: link.id, ...look })));
    };
    await make({ format: "svg" });
    await make({ size: 1024, logo: LOGO });
    while (codes.length < CODES) await make({ size: 100 });
    for (const made of codes) images.set(nameOf(made), await read(first, nameOf(made)));
  });

  test("8 images are served with the same headers as from R2", async () => {
    const [svg, png] = codes.map((made) => images.get(nameOf(made)));
    const common = {
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=31536000, immutable",
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      "x-content-type-options": "nosniff",
    };
    expect(png?.headers).toEqual({
      ...common,
      "content-type": "image/png",
      "content-length": String(png?.bytes.length),
      "content-security-policy": "default-src 'none'; sandbox",
    });
    expect(svg?.headers).toEqual({
      ...common,
      "content-type": "image/svg+xml",
      "content-length": String(svg?.bytes.length),
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
    expect(svg?.bytes.toString()).toMatch(/^<svg /);
    expect(png?.bytes.subarray(1, 4).toString()).toBe("PNG");
  });

  test("15 a current copy is answered with 304, another with the image", async () => {
    const name = nameOf(codes[0] as QrCode);
    const stored = images.get(name);
    const { etag = "" } = stored?.headers ?? {};
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await read(first, name, { headers: { "If-None-Match": sent } });
      expect([again.status, again.bytes.length, again.headers["etag"]]).toEqual([304, 0, etag]);
    }
    expect(await read(first, name, { headers: { "If-None-Match": '"other"' } })).toEqual(stored);
    expect((await read(first, name, { method: "HEAD" })).headers).toEqual(stored?.headers);
  });

  test("operators see how many images are in objects", async () => {
    expect(await imagesCheck(first)).toBe(`No bucket is bound: objects store ${CODES} images`);
  });

  test("invalid image names are 404", async () => {
    for (const name of [
      "qr_00000000000000000000000000.png",
      nameOf(codes[0] as QrCode).replace(".svg", ".png"),
      "x.png",
    ])
      expect((await read(first, name)).status).toBe(404);
  });

  test("closing an account deletes its images", async () => {
    const DB = await first.workerd.database("hoplink");
    const { id } = await newTestAccount({ DB });
    const ben = new ApiClient(first.url, await issueKeyText({ DB }, id, "live", "test"));
    const code = QrCode.parse(await ben.call("POST", "/v1/qr", { link_id: (await ben.createLink()).id }));
    await closeAccount({ DB }, id);
    await DB.prepare("UPDATE closed_accounts SET due_at = 0").run();
    await first.workerd.runCron("hoplink");
    await eventually(async () => (await DB.prepare("SELECT 1 FROM closed_accounts").first()) === null, "the erasure");
    expect((await read(first, nameOf(code))).status).toBe(404);
  });

  test("the images move into a bucket that is bound later, and stay available during the move", async () => {
    await first.stop();
    const second = await serve("with a bucket");
    try {
      const names = [...images.keys()];
      const expectAll = async () => {
        for (const name of names) expect(await read(second, name)).toEqual(images.get(name));
      };
      const bucket = await second.workerd.bucket("hoplink");
      expect((await bucket.list()).objects.filter(({ key: name }) => images.has(name))).toEqual([]);
      expect(await imagesCheck(second)).toBe(`Stored and read; ${CODES} images move from objects within a day`);
      await second.workerd.runCron("hoplink", DAILY_CRON);
      await Promise.all([expectAll(), expectAll(), expectAll()]);
      const moved = async () => (await bucket.list()).objects.filter(({ key: name }) => images.has(name)).length;
      await eventually(async () => (await moved()) === CODES, `${CODES} images in the bucket`);
      await expectAll();
      await eventually(async () => (await imagesCheck(second)) === "Stored and read", "no image in objects");
      const [one = ""] = names;
      const kept = await bucket.get(one);
      expect([kept?.httpEtag, kept?.httpMetadata?.contentType, kept?.httpMetadata?.cacheControl]).toEqual([
        images.get(one)?.headers["etag"],
        "image/svg+xml",
        "public, max-age=31536000, immutable",
      ]);
      const later = new ApiClient(second.url, key);
      const made = QrCode.parse(await later.call("POST", "/v1/qr", { link_id: (await later.createLink()).id }));
      expect(await bucket.head(nameOf(made))).not.toBeNull();
      expect(second.workerd.log).toEqual([]);
    } finally {
      await second.stop();
    }
  });
});
