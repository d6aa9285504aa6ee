/**
 * The Durable Object that holds the clicks of all links of an account and mode, starting with the first request for
 * account statistics (account/account-object.ts). Before that it stores nothing. As in a link's object, data of a later
 * release is not touched, and outcomes are returned, never thrown.
 */
import { retryable } from "cloudflare:durable-objects";
import { DurableObject } from "cloudflare:workers";

import type {
  AccountAnswer,
  AccountEraseResult,
  AccountQuestion,
  LinkToDraw,
  NewsAnnouncement,
  NewsResult,
} from "../core/clicks/protocol/account-object-rpc.ts";
import type { EraseResult, LinkReference, Unavailable } from "../core/clicks/protocol/link-object-rpc.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { AccountObject } from "./account/account-object.ts";
import { eraseStorage, migrate } from "./schema.ts";

const TOO_NEW_ALARM_RETRY_MS = MINUTE_MS;

export class AccountClicks extends DurableObject<Env> {
  static {
    const { stats, clicks, erase } = this.prototype;
    retryable(stats, clicks, erase);
  }

  /** Null when the storage was written by a later release. */
  #object: Promise<AccountObject> | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#object = migrate(ctx.storage, "account") ? this.#open() : null;
  }

  /** Imports the implementation lazily: redirects load this class, but do not need that code. */
  async #open(): Promise<AccountObject> {
    const { AccountObject } = await import("./account/account-object.ts");
    return new AccountObject(this.ctx, this.env);
  }

  async #ask<T>(work: (object: AccountObject) => T | Promise<T>): Promise<T | Unavailable> {
    const object = await this.#object;
    return object ? work(object) : { kind: "unavailable" };
  }

  stats(question: AccountQuestion<"stats">): Promise<AccountAnswer<"stats">> {
    return this.#ask((object) => object.stats(question));
  }

  /** Reads a part of a scan. The object calls itself: each call has its own CPU budget. */
  async readPart(part: number): Promise<void> {
    await this.#ask((object) => object.scans.readPart(part));
  }

  /** Returns a page of clicks in chronological order. */
  clicks(question: AccountQuestion<"clicks">): Promise<AccountAnswer<"clicks">> {
    return this.#ask((object) => object.clicks(question));
  }

  /** Lists links by number of clicks. */
  clicksByLink(request: AccountQuestion<"clicksByLink">): Promise<AccountAnswer<"clicksByLink">> {
    return this.#ask((object) => object.clicksByLink(request));
  }

  /** Returns the given links that have human clicks. */
  clickedLinks(request: AccountQuestion<"clickedLinks">): Promise<AccountAnswer<"clickedLinks">> {
    return this.#ask((object) => object.clickedLinks(request));
  }

  /** Called by a link's object before it stores its first clicks after a draw. */
  announce(announcement: NewsAnnouncement): Promise<NewsResult> {
    return this.#ask((object) => object.announce(announcement));
  }

  /** Erases the clicks of a link whose own object is already erased. */
  eraseLink({ linkId }: Required<LinkReference>): Promise<AccountEraseResult> {
    return this.#ask((object) => object.eraseLink(linkId));
  }

  /** Draws links again whose own logs have lost clicks. */
  redrawLinks({ links }: { links: LinkToDraw[] }): Promise<AccountEraseResult> {
    return this.#ask((object) => object.redrawLinks(links));
  }

  /** Erases the storage, whatever its release, because the account was closed. */
  async erase(): Promise<EraseResult> {
    // Opening may have failed: storage of an unknown release cannot be opened.
    (await this.#object?.catch(() => null))?.close();
    await eraseStorage(this.ctx);
    this.#object = this.#open();
    return { kind: "erased" };
  }

  override async alarm(): Promise<void> {
    const object = await this.#object;
    if (object) await object.alarm();
    else await this.ctx.storage.setAlarm(Date.now() + TOO_NEW_ALARM_RETRY_MS);
  }
}
