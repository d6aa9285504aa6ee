/**
 * The visitors of a batch's clicks, as hashes of the day (core/visitors/visitor-hashes.ts). A click that comes before its
 * day's salt is hashed when the batch is packed; until then its network is held in memory, and nowhere else. Pure.
 */
import {
  UNKNOWN_VISITOR,
  type UnhashedVisitor,
  type VisitorHashes,
  type VisitorOwner,
} from "../../visitors/visitor-hashes.ts";
import { utcDay } from "../../durations.ts";
import type { NewClick } from "../facts.ts";
import { NumberColumn, VISITOR_BYTES } from "./column-encoding.ts";
import type { ByteWriter } from "./varint-bytes.ts";

/** Memory of one visitor that is not hashed: about 50 bytes for the text of the network, the rest for objects. */
const UNHASHED_BYTES = 200;

export interface VisitorHashing {
  hashes: VisitorHashes;
  owner: VisitorOwner;
}

export class VisitorColumn {
  readonly #hashing: VisitorHashing | null;
  readonly #column = new NumberColumn(VISITOR_BYTES, UNKNOWN_VISITOR);
  #unhashed: { click: number; visitor: UnhashedVisitor }[] | null = null;

  /** @param hashing  null where visitors are not told apart */
  constructor(hashing: VisitorHashing | null) {
    this.#hashing = hashing;
  }

  get isUsed(): boolean {
    return this.#column.isUsed;
  }

  /** Memory beside that of the numbers. */
  get bytes(): number {
    return (this.#unhashed?.length ?? 0) * UNHASHED_BYTES;
  }

  /** A UTC day whose salt is needed and not known. */
  get missingDay(): number | null {
    const day = this.#unhashed?.at(-1)?.visitor.day;
    return day === undefined || this.#hashing?.hashes.has(day) ? null : day;
  }

  /** @param before  number of clicks before this one */
  add(click: NewClick, before: number): void {
    const { visitor } = click;
    if (typeof visitor === "number") return this.#column.add(visitor, before);
    const { network } = visitor;
    if (network === null || !this.#hashing) return this.#column.add(UNKNOWN_VISITOR, before);
    const { hashes, owner } = this.#hashing;
    const day = utcDay(click.visit.at);
    hashes.forget(click.visit.at);
    const hash = hashes.hash(owner, day, network, visitor.userAgentDigest);
    this.#column.add(hash ?? UNKNOWN_VISITOR, before);
    if (hash === null) this.#keepUnhashed(before, { day, network, userAgentDigest: visitor.userAgentDigest });
  }

  /** Hashes what can be by now; the rest stays not known. Comes before `isUsed` and `write`. */
  hashRest(count: number): void {
    for (const { click, visitor } of this.#unhashed ?? []) {
      const { day, network } = visitor;
      const hash = this.#hashing?.hashes.hash(this.#hashing.owner, day, network, visitor.userAgentDigest) ?? null;
      if (hash !== null) this.#column.set(click, hash, count);
    }
    this.#unhashed = null;
  }

  write(bytes: ByteWriter): void {
    this.#column.write(bytes);
  }

  #keepUnhashed(click: number, visitor: UnhashedVisitor): void {
    (this.#unhashed ??= []).push({ click, visitor });
  }
}
