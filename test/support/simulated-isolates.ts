/** Many isolates of the Worker as the objects of links see them: each has its own recorder, and visitors. */
import type { ClickBatch, RecordResult } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import { type LinkSnapshot, addressObjectName } from "../../src/core/links/link-snapshot.ts";
import type { VisitorSalt } from "../../src/core/visitors/visitor-hashes.ts";
import { Recorder, type RecorderState } from "../../src/edge/recorder.ts";
import { type Click, newClick } from "./pack-clicks.ts";

export interface ObjectCall {
  /** Time by `performance.now()`. */
  at: number;
  /** How long the oldest click in the batch has waited, ms. */
  waitedMs: number;
}

/** Where isolates get the salts of visitors' hashes. */
export interface SimulatedSalts {
  /** Reads a key of Workers KV. */
  readKey: (key: string) => Promise<ArrayBuffer | null>;
  /** Queries the maintenance object. */
  askObject: () => Promise<VisitorSalt[]>;
}

export class SimulatedIsolates {
  readonly calls: ObjectCall[] = [];
  /** Number of clicks so far. */
  clicks = 0;
  readonly #recorders: Recorder[];
  readonly #env: Env;
  readonly #ctx: ExecutionContext;

  /**
   * @param callObject  carries a batch to an object
   * @param waitUntil  is given all background work of recorders
   * @param salts  visitors are not distinguished when not given
   */
  constructor(
    count: number,
    callObject: (batch: ClickBatch, objectName: string) => Promise<RecordResult>,
    waitUntil: (work: Promise<unknown>) => void = () => {},
    salts?: SimulatedSalts,
  ) {
    this.#recorders = Array.from({ length: count }, () => new Recorder());
    const getByName = (name: string) => ({
      record: async (batch: ClickBatch) => {
        const at = performance.now();
        this.calls.push({ at, waitedMs: at + CLOCK_START_MS - batch.clicks.at });
        return callObject(batch, name);
      },
    });
    const MAINTENANCE = { getByName: () => ({ visitorSalts: salts?.askObject }) };
    const bindings = salts ? { MAINTENANCE, VISITOR_SALTS: { get: salts.readKey } } : {};
    this.#env = { LINK_CLICKS: { getByName }, ...bindings } as unknown as Env;
    this.#ctx = { waitUntil } as unknown as ExecutionContext;
  }

  /** A click in one isolate. */
  click(isolate: number, link: LinkSnapshot, facts: Partial<Click> = {}): void {
    const at = Math.floor(CLOCK_START_MS + performance.now());
    const name = addressObjectName(link.domain, link.slug);
    this.#recorders[isolate]?.record(
      this.#env,
      this.#ctx,
      name,
      { link, feedSince: 0, statsSince: 0 },
      newClick({ ...DEFAULT_CLICK, at, ...facts }),
      {},
    );
    this.clicks++;
  }

  /** Clicks in isolates taken at random. */
  clickAnywhere(clicks: number, link: LinkSnapshot, chance: () => number): void {
    for (let i = 0; i < clicks; i++) this.click(Math.floor(chance() * this.#recorders.length), link);
  }

  recorderState(isolate: number): RecorderState | undefined {
    return this.#recorders[isolate]?.state;
  }
}

/** Time by the monotonic clock begins here. */
export const CLOCK_START_MS = Date.UTC(2030, 0, 1);

const DEFAULT_CLICK: Omit<Click, "at"> = {
  class: "human",
  country: "DE",
  continent: "EU",
  region: "",
  city: "",
  device: "mobile",
  os: "ios",
  browser: "safari",
  language: "de",
  referrer: "",
  qr: "",
  rule: "",
};

/** A link as redirects know it. */
export function snapshotOf(slug: string, changes: Partial<LinkSnapshot> = {}): LinkSnapshot {
  return {
    id: `lnk_${slug.padStart(26, "0")}`,
    accountId: "acc_00000000000000000000000000",
    mode: "live",
    origin: "api",
    domain: "senders.example",
    slug,
    url: "https://example.com/",
    routing: [],
    expiresAt: null,
    revision: 1,
    state: "active",
    qrKey: "00112233445566778899aabbccddeeff",
    ...changes,
  };
}
