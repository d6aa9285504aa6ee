/**
 * The Worker with two more requests: `POST /.fill` fills the logs of links with clicks that nobody made, `POST /.measure`
 * times the answers of the account's object from inside, where no network is counted. Never deployed.
 */
import { AccountClicks as RealAccountClicks } from "../../src/clicks/account-clicks.ts";
import { LinkClicks as RealLinkClicks } from "../../src/clicks/link-clicks.ts";
import type { AccountStatsQuestion } from "../../src/core/clicks/account-object-rpc.ts";
import { addressObjectName } from "../../src/core/links/link-snapshot.ts";
import { feedName } from "../../src/core/streams/event-log.ts";
import worker from "../../src/worker.ts";
import { packClicks } from "../support/pack-clicks.ts";
import { snapshotAt } from "./bench-link.ts";
import { ClickMix, RULES } from "./click-mix.ts";
import { meterRows, type RowMeter } from "./row-meter.ts";

export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

export interface FilledLink {
  accountId: string;
  id: string;
  domain: string;
  slug: string;
}

export interface AccountFill {
  links: FilledLink[];
  /** Of each link. */
  clicks: number;
  /** The times that they are spread over, epoch ms. */
  from: number;
  to: number;
}

/** Of one answer. */
export interface MeasuredAnswer {
  ms: number;
  rowsRead: number;
  total: number;
}

const BATCH_CLICKS = 50;
/** Batches that all links share, each at times of its own: to pack each anew would take as long as to store it. */
const BATCHES = 400;
const mix = new ClickMix();
let batches: ReturnType<typeof packClicks>[] = [];
let filledBatches = 0;

export class LinkClicks extends RealLinkClicks {
  fill({ links: [link], clicks, from, to }: AccountFill): void {
    if (!link) return;
    const snapshot = { ...snapshotAt(1), ...link, routing: routingOf(link.slug) };
    const count = clicks / BATCH_CLICKS;
    for (let i = 0; i < count; i++) {
      const batch = batches[filledBatches % BATCHES];
      if (!batch) return;
      const at = Math.floor(from + ((i + 0.5) / count) * (to - from));
      void this.record({ id: 2 ** 40 + ++filledBatches, revision: 1, clicks: { ...batch, at }, snapshot });
    }
  }
}

function routingOf(slug: string) {
  return Array.from({ length: RULES }, (_, rule) => ({
    if: { country: [`X${rule}`] },
    to: `https://example.com/products/${slug}/landing-page-${rule}`,
  }));
}

export class AccountClicks extends RealAccountClicks {
  /** From the first measurement on: it keeps what every statement read. */
  #meter: RowMeter | null = null;

  async measure(question: AccountStatsQuestion): Promise<MeasuredAnswer> {
    this.#meter ??= meterRows(this.ctx.storage.sql);
    this.#meter.addTo({ rowsRead: 0, rowsWritten: 0 });
    const startedAt = Date.now();
    const answer = await this.stats(question);
    const ms = Date.now() - startedAt;
    if (answer.kind !== "stats") throw new Error(answer.kind);
    const rows = { rowsRead: 0, rowsWritten: 0 };
    this.#meter.addTo(rows);
    return { ms, rowsRead: rows.rowsRead, total: answer.total };
  }
}

async function fill(env: Env, filling: AccountFill): Promise<void> {
  if (batches.length === 0) {
    batches = Array.from({ length: BATCHES }, () => packClicks(mix.batch(filling.from, BATCH_CLICKS)));
  }
  const objects = env.LINK_CLICKS as unknown as DurableObjectNamespace<LinkClicks>;
  for (const link of filling.links) {
    await objects.getByName(addressObjectName(link.domain, link.slug)).fill({ ...filling, links: [link] });
  }
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/.fill") {
      await fill(env, await request.json());
      return new Response(null, { status: 204 });
    }
    if (pathname !== "/.measure") return worker.fetch(request, env, ctx);
    const question = await request.json<AccountStatsQuestion>();
    const objects = env.ACCOUNT_CLICKS as unknown as DurableObjectNamespace<AccountClicks>;
    return Response.json(await objects.getByName(feedName(question.accountId, question.mode)).measure(question));
  },
} satisfies ExportedHandler<Env>;
