/**
 * The clicks of one link that wait in an isolate for the link's object, oldest first. Clicks that were never sent are
 * merged into as few batches as possible. A sent batch keeps its id and content until it is acknowledged: a call that
 * timed out may have stored it, and a retry under the same id counts once. Pure: no clock, no I/O; ids are supplied by
 * the caller.
 */
import { BatchBuilder } from "../encoding/batch-builder.ts";
import type { NewClick } from "../facts.ts";
import type { ClickBatch } from "./link-object-rpc.ts";
import { type LinkSnapshot, snapshotBytes } from "../../links/link-snapshot.ts";
import type { VisitorHashes } from "../../visitors/visitor-hashes.ts";

export interface QueuedBatch {
  /** The link, at the revision under which the destinations were chosen. */
  link: LinkSnapshot;
  batch: ClickBatch;
}

interface OpenBatch {
  link: LinkSnapshot;
  /** Start of the current period of the account's feed, epoch ms; 0 while no client streams. */
  feedSince: number;
  /** `statsSince` of the batch; 0 if the account does not participate. */
  statsSince: number | null;
  builder: BatchBuilder;
}

/** Memory of a packed batch without the contents of its arrays, as measured. */
const PACKED_OVERHEAD_BYTES = 600;

export class ClickQueue {
  /** Batches whose content is fixed; oldest first. */
  #packed: QueuedBatch[] = [];
  #packedBytes = 0;
  #packedCount = 0;
  /** The batch to which clicks are added. */
  #open: OpenBatch | null = null;
  /** Memory of the snapshots of all batches. */
  #linkBytes = 0;
  readonly #newId: () => number;
  readonly #hashes: VisitorHashes | null;

  /**
   * @param newId  chooses the id of a batch: 48 random bits, which SQLite stores in six bytes
   * @param hashes  null if visitors are not distinguished
   */
  constructor(newId: () => number, hashes: VisitorHashes | null = null) {
    this.#newId = newId;
    this.#hashes = hashes;
  }

  /** Number of waiting clicks. */
  get count(): number {
    return this.#packedCount + (this.#open?.builder.count ?? 0);
  }

  /** Estimated memory of the clicks. */
  get bytes(): number {
    return this.#packedBytes + this.#linkBytes + (this.#open?.builder.bytes ?? 0);
  }

  /** Whether a batch with fixed content waits. */
  get hasPacked(): boolean {
    return this.#packed.length > 0;
  }

  /** A UTC day whose salt the next batch still needs; null when it needs none, or its content is fixed. */
  get missingSaltDay(): number | null {
    return this.hasPacked ? null : (this.#open?.builder.missingSaltDay ?? null);
  }

  /**
   * @param feedSince  start of the feed's current period, epoch ms; 0 while no client streams
   * @param statsSince  as in a batch; 0 if the account does not participate
   */
  add(link: LinkSnapshot, feedSince: number, click: NewClick, statsSince: number | null = 0): void {
    if (this.#open && !isSameRevision(this.#open.link, link)) this.#pack(this.#open);
    const open = (this.#open ??= this.#newOpen(link));
    open.feedSince = feedSince;
    open.statsSince = statsSince;
    open.builder.add(click);
    if (open.builder.isFull) this.#pack(open);
  }

  /** The batch to send now: the same one until it is removed. */
  next(): QueuedBatch | null {
    if (this.#packed.length === 0 && this.#open) this.#pack(this.#open);
    return this.#packed[0] ?? null;
  }

  /** Removes a batch that was acknowledged. Two requests may have sent it, so it may be gone already. */
  remove(acknowledged: QueuedBatch): void {
    if (this.#packed[0] !== acknowledged) return;
    this.#packed.shift();
    this.#packedBytes -= bytesOf(acknowledged.batch);
    this.#packedCount -= acknowledged.batch.clicks.count;
    const next = this.#packed[0] ?? this.#open;
    if (next?.link !== acknowledged.link) this.#linkBytes -= snapshotBytes(acknowledged.link);
  }

  #newOpen(link: LinkSnapshot): OpenBatch {
    if (this.#packed.at(-1)?.link !== link) this.#linkBytes += snapshotBytes(link);
    const builder = new BatchBuilder(this.#hashes && { hashes: this.#hashes, owner: link });
    return { link, feedSince: 0, statsSince: 0, builder };
  }

  /** Fixes the batch's id and content: from now on every retry sends the same batch. */
  #pack({ link, feedSince, statsSince, builder }: OpenBatch): void {
    const clicks = builder.pack();
    const batch: ClickBatch = { id: this.#newId(), revision: link.revision, clicks };
    if (feedSince > 0) batch.feedSince = feedSince;
    if (statsSince !== 0) batch.statsSince = statsSince;
    this.#open = null;
    this.#packed.push({ link, batch });
    this.#packedBytes += bytesOf(batch);
    this.#packedCount += clicks.count;
  }
}

function isSameRevision(one: LinkSnapshot, other: LinkSnapshot): boolean {
  return one === other || (one.id === other.id && one.revision === other.revision);
}

function bytesOf({ clicks: { columns, times } }: ClickBatch): number {
  return PACKED_OVERHEAD_BYTES + columns.length + (times?.length ?? 0);
}
