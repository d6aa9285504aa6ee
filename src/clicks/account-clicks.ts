/**
 * The Durable Object that holds the clicks of all links of an account and mode, from the first question about the account
 * on (account/account-object.ts). Without a question it stores nothing. As in a link's object, data of a later release is
 * not touched, and outcomes are returned, never thrown.
 */
import { DurableObject } from "cloudflare:workers";

import type {
  AccountClicksAnswer,
  AccountClicksQuestion,
  AccountEraseResult,
  AccountStatsAnswer,
  AccountStatsQuestion,
  ClickedLinksAnswer,
  ClickedLinksRequest,
  ClicksByLinkAnswer,
  ClicksByLinkRequest,
  NewsAnnouncement,
  NewsResult,
} from "../core/clicks/protocol/account-object-rpc.ts";
import type { EraseResult, LinkReference } from "../core/clicks/protocol/link-object-rpc.ts";
import { MINUTE_MS } from "../core/durations.ts";
import type { AccountObject } from "./account/account-object.ts";
import { eraseStorage, migrate } from "./schema.ts";

const TOO_NEW_ALARM_RETRY_MS = MINUTE_MS;

export class AccountClicks extends DurableObject<Env> {
  /** Null when the storage is of a later release. */
  #object: Promise<AccountObject> | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#object = migrate(ctx.storage, "account") ? this.#open() : null;
  }

  /** Imported lazily: a redirect loads this class, but needs none of it. */
  async #open(): Promise<AccountObject> {
    const { AccountObject } = await import("./account/account-object.ts");
    return new AccountObject(this.ctx, this.env);
  }

  async stats(question: AccountStatsQuestion): Promise<AccountStatsAnswer> {
    const object = await this.#object;
    return object ? object.stats(question) : { kind: "unavailable" };
  }

  /** A page of clicks in the order of time. */
  async clicks(question: AccountClicksQuestion): Promise<AccountClicksAnswer> {
    const object = await this.#object;
    return object ? object.clicks(question) : { kind: "unavailable" };
  }

  /** Links in the order of their clicks. */
  async clicksByLink(request: ClicksByLinkRequest): Promise<ClicksByLinkAnswer> {
    const object = await this.#object;
    return object ? object.clicksByLink(request) : { kind: "unavailable" };
  }

  /** Which of some links people have clicked. */
  async clickedLinks(request: ClickedLinksRequest): Promise<ClickedLinksAnswer> {
    const object = await this.#object;
    return object ? object.clickedLinks(request) : { kind: "unavailable" };
  }

  /** Called by a link's object before it stores its first clicks since it was drawn. */
  async announce(announcement: NewsAnnouncement): Promise<NewsResult> {
    const object = await this.#object;
    return object ? object.announce(announcement) : { kind: "unavailable" };
  }

  /** Erases the clicks of a link, whose own object is erased already. */
  async eraseLink({ linkId }: Required<LinkReference>): Promise<AccountEraseResult> {
    const object = await this.#object;
    return object ? object.eraseLink(linkId) : { kind: "unavailable" };
  }

  /** Erases the storage, whatever its release: the account was closed. */
  async erase(): Promise<EraseResult> {
    (await this.#object)?.close();
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
