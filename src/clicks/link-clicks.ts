/**
 * The object of one link: the only writer of its click log, and the keeper of its last known snapshot.
 * Reached by domain and slug alone (core/link-snapshot.ts), so it serves when the database does not.
 * Outcomes are returned, never thrown: an error's class is lost on the way through RPC.
 *
 * This is the door: while a release is rolled out, the object may find what a later release has stored here. Then it
 * leaves that alone, takes nothing, and says so; who calls tries again later.
 *
 * An object that was erased stores nothing, not even that: the database keeps the tombstone. Clicks that were on their
 * way are dropped by this instance, which remembers it, and by a later one, which asks the database about late clicks.
 */
import { DurableObject } from "cloudflare:workers";

import type {
  ClickBatch,
  ClicksQuestion,
  KnownLink,
  Learned,
  ListedClicks,
  Erased,
  OfLink,
  OtherLink,
  Recorded,
  ScansOutcome,
  ScansQuestion,
  StatsOutcome,
} from "../core/link-object.ts";
import type { LinkSnapshot } from "../core/link-snapshot.ts";
import { CallSlots } from "../core/call-pacing.ts";
import { CLOSED_TO_RESUME, OTHER_LINK, UNAVAILABLE } from "../core/live-stream.ts";
import type { StatsQuestion } from "../core/stats.ts";
import { findErased } from "../store/erased-links.ts";
import { ClickedLink } from "./clicked-link.ts";
import { eraseStorage, upgrade } from "./schema.ts";
import { LINK_STEPS } from "./schema-steps.ts";

const ALARM_TOO_NEW_MS = 60_000;
/** Clicks sent so long after they happened may be of a link that was erased: that is done a minute after its end. */
const LATE_MS = 30_000;

/** The link that has been given the address of the one whose clicks are stored here. */
interface Successor {
  id: string;
  /** When that was heard of first, epoch ms. */
  at: number;
}

const SUCCESSOR = "successor";

export class LinkClicks extends DurableObject<Env> {
  /** Null when what is stored here is of a later release. */
  #link: ClickedLink | null;
  readonly #slots = new CallSlots();
  /** The tombstone of the link whose clicks were erased here; null when none were. */
  #erased: LinkSnapshot | null = null;
  /** As stored; undefined until it is read. */
  #successor: Successor | null | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#link = upgrade(ctx.storage, "batches", LINK_STEPS) ? new ClickedLink(ctx, env) : null;
  }

  /** Stores a batch, once, and tells its sender when to call again, and what the link is now if it is behind. */
  record(batch: ClickBatch): Recorded | Promise<Recorded> {
    if (!this.#link) return { kind: "too_new" };
    if (this.#erased) return this.#recordAfterErasing(batch, this.#erased);
    const id = batch.linkId ?? batch.snapshot?.id;
    if (this.#hasOther(id)) return this.#succeeded(id, batch.clicks.at);
    this.#returned(batch.clicks.at);
    if (this.#link.isEmpty && Date.now() - batch.clicks.at > LATE_MS) return this.#recordLate(batch);
    return this.#store(batch);
  }

  #store(batch: ClickBatch): Recorded {
    const gatherMs = this.#slots.take(performance.now());
    const recorded = this.#link?.record(batch) ?? { kind: "too_new" };
    return recorded.kind === "recorded" ? { ...recorded, gatherMs } : recorded;
  }

  /** The clicks of a link that was erased are taken and dropped, so that their sender does not keep them. */
  #recordAfterErasing(batch: ClickBatch, erased: LinkSnapshot): Recorded | Promise<Recorded> {
    if (!batch.snapshot) return { kind: "snapshot_missing" };
    const { id, revision } = batch.snapshot;
    if (id === erased.id && revision <= erased.revision) return { kind: "recorded", newer: erased };
    // A database that was set back has lost the tombstone: the link is there again, or another one has its address.
    this.#erased = null;
    return this.record(batch);
  }

  /** @throws when the database does not answer: the sender keeps the batch and tries again */
  async #recordLate(batch: ClickBatch): Promise<Recorded> {
    if (!batch.snapshot) return { kind: "snapshot_missing" };
    const erased = await findErased(this.env, batch.snapshot);
    if (erased) return { kind: "recorded", newer: erased };
    // Clicks of another link may have been stored here meanwhile.
    const { id } = batch.snapshot;
    return this.#hasOther(id) ? this.#succeeded(id, batch.clicks.at) : this.#store(batch);
  }

  /** Erases all that is stored here, in whatever format, and ends the link's streams. */
  async erase(tombstone: LinkSnapshot): Promise<Erased> {
    if (this.#hasOther(tombstone.id)) return { kind: "other_link" };
    this.#successor = null;
    this.#erased = tombstone;
    this.#link?.end();
    await eraseStorage(this.ctx);
    this.#link = new ClickedLink(this.ctx, this.env);
    // For isolates that go on without the database: remembered, not stored, as long as nothing is clicked.
    this.#link.learn(tombstone);
    return { kind: "erased" };
  }

  /** Takes in a changed link before its change is answered. */
  learn(snapshot: LinkSnapshot): Learned {
    if (this.#hasOther(snapshot.id)) return this.#succeeded(snapshot.id, Date.now());
    return this.#link?.learn(snapshot) ?? { kind: "too_new" };
  }

  /** Takes in that somebody listens to the account's stream since then, epoch ms. */
  listen({ since, linkId }: { since: number } & OfLink): Learned {
    if (this.#hasOther(linkId)) return { kind: "other_link" };
    if (!this.#link) return { kind: "too_new" };
    this.#link.listen(since);
    return { kind: "learned" };
  }

  /** The link as last heard of; null when this object never heard of it. */
  snapshot(): KnownLink | null {
    const known = this.#link?.snapshot() ?? null;
    const successor = this.#readSuccessor();
    return known && successor ? { ...known, successorId: successor.id } : known;
  }

  stats(question: StatsQuestion & OfLink): StatsOutcome {
    if (this.#hasOther(question.linkId)) return { kind: "other_link" };
    return this.#link?.stats(question) ?? { kind: "unavailable" };
  }

  /** People who scanned a QR code, ever. */
  scans({ qr, linkId }: ScansQuestion): ScansOutcome {
    if (this.#hasOther(linkId)) return { kind: "other_link" };
    return this.#link ? { kind: "scans", scans: this.#link.scans(qr) } : { kind: "unavailable" };
  }

  /** Clicks after a sequence number, in order, at most a page. */
  clicks(question: ClicksQuestion): ListedClicks {
    if (this.#hasOther(question.linkId)) return { kind: "other_link" };
    return this.#link?.clicks(question) ?? { kind: "unavailable" };
  }

  /** Opens a stream of this link's clicks. */
  override fetch(request: Request): Response {
    const linkId = new URL(request.url).searchParams.get("log") ?? undefined;
    if (this.#hasOther(linkId)) return new Response(null, { status: OTHER_LINK });
    return this.#link?.follow(request) ?? new Response(null, { status: UNAVAILABLE });
  }

  /**
   * Whether another link's clicks are stored here: of one that the database has lost, or has again. They are neither mixed
   * nor shown. What was only heard of another link is forgotten.
   */
  #hasOther(id: string | undefined): id is string {
    const known = this.#link?.linkId ?? null;
    if (!this.#link || id === undefined || known === null || known === id) return false;
    if (!this.#link.isEmpty) return true;
    this.#link.end();
    this.#link = new ClickedLink(this.ctx, this.env);
    return false;
  }

  /** Keeps whom the address leads to since then, epoch ms: visitors are sent there while the database is down. */
  #succeeded(id: string, at: number): OtherLink {
    const known = this.#readSuccessor();
    if (known === null || (known.id !== id && at >= known.at)) {
      this.#successor = { id, at };
      this.ctx.storage.kv.put(SUCCESSOR, this.#successor);
    }
    return { kind: "other_link" };
  }

  /** The link stored here was clicked later than its successor was heard of: the database has it again. */
  #returned(at: number): void {
    const known = this.#readSuccessor();
    if (known === null || at <= known.at) return;
    this.#successor = null;
    this.ctx.storage.kv.delete(SUCCESSOR);
  }

  #readSuccessor(): Successor | null {
    if (this.#successor === undefined) this.#successor = this.ctx.storage.kv.get<Successor>(SUCCESSOR) ?? null;
    return this.#successor;
  }

  override webSocketMessage(socket: WebSocket): void {
    if (this.#link) this.#link.send(socket);
    else socket.close(CLOSED_TO_RESUME, "too new");
  }

  override webSocketClose(socket: WebSocket): void {
    this.#link?.forget(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#link?.forget(socket);
  }

  override async alarm(): Promise<void> {
    if (this.#link) await this.#link.alarm();
    // What it was set for is still to be done, by who can.
    else await this.ctx.storage.setAlarm(Date.now() + ALARM_TOO_NEW_MS);
  }
}
