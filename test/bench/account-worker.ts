/**
 * The Worker with three more requests. `POST /.fill` fills the logs of links with made-up clicks. `POST /.visit` sends
 * each link one batch and returns its billed usage. `POST /.measure` times an answer of the account's object from
 * inside, without the network. Never deployed.
 */
import { AccountClicks as RealAccountClicks } from "../../src/clicks/account-clicks.ts";
import { LinkClicks as RealLinkClicks } from "../../src/clicks/link-clicks.ts";
import type {
  AccountStatsQuestion,
  NewsAnnouncement,
  NewsResult,
} from "../../src/core/clicks/protocol/account-object-rpc.ts";
import type { DrawRequest, LinkAnswer } from "../../src/core/clicks/protocol/link-object-rpc.ts";
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
  /** Clicks of each link. */
  clicks: number;
  /** The times that they are spread over, epoch ms. */
  from: number;
  to: number;
}

export interface AccountVisit {
  links: FilledLink[];
  /** Clicks of the batch that each link gets. */
  clicks: number;
}

/** Billed usage: rows of all objects, and requests between those of links and accounts. */
export interface ObjectUsage {
  objectRequests: number;
  rowsRead: number;
  rowsWritten: number;
}

export interface MeasuredAnswer extends ObjectUsage {
  ms: number;
  total: number;
}

const BATCH_CLICKS = 50;
/** Batches that all links share, each at separate times: packing each one again would take as long as storing it. */
const BATCHES = 400;
const mix = new ClickMix();
let batches: ReturnType<typeof packClicks>[] = [];
let filledBatches = 0;
let objectRequests = 0;
/** Set from the first measurement on, since it keeps what every statement read. */
let meter: RowMeter | null = null;

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

  async visit({ links: [link], clicks }: AccountVisit): Promise<ObjectUsage> {
    if (!link) throw new Error("no link is to be visited");
    const snapshot = { ...snapshotAt(1), ...link, routing: routingOf(link.slug) };
    const batch = packClicks(mix.batch(Date.now(), clicks));
    return usageOf(this.ctx.storage.sql, async () => {
      await this.record({ id: 2 ** 40 + ++filledBatches, revision: 1, clicks: batch, snapshot });
    });
  }

  override draw(request: DrawRequest): Promise<LinkAnswer<"draw">> {
    objectRequests++;
    return super.draw(request);
  }
}

async function usageOf(sql: SqlStorage, work: () => Promise<void>): Promise<ObjectUsage> {
  meter ??= meterRows(sql);
  meter.addTo({ rowsRead: 0, rowsWritten: 0 });
  const before = objectRequests;
  await work();
  const rows = { rowsRead: 0, rowsWritten: 0 };
  meter.addTo(rows);
  return { ...rows, objectRequests: objectRequests - before };
}

function routingOf(slug: string) {
  return Array.from({ length: RULES }, (_, rule) => ({
    if: { country: [`X${rule}`] },
    to: `https://example.com/products/${slug}/landing-page-${rule}`,
  }));
}

export class AccountClicks extends RealAccountClicks {
  override announce(announcement: NewsAnnouncement): Promise<NewsResult> {
    objectRequests++;
    return super.announce(announcement);
  }

  async measure(question: AccountStatsQuestion): Promise<MeasuredAnswer> {
    let [ms, total] = [0, 0];
    const usage = await usageOf(this.ctx.storage.sql, async () => {
      const startedAt = Date.now();
      const answer = await this.stats(question);
      ms = Date.now() - startedAt;
      if (answer.kind !== "stats") throw new Error(answer.kind);
      ({ total } = answer);
    });
    return { ...usage, ms, total };
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

/** Sends batches in sequence, so that no rows are counted twice. @returns the usage of all batches */
async function visit(env: Env, { links, clicks }: AccountVisit): Promise<ObjectUsage> {
  const objects = env.LINK_CLICKS as unknown as DurableObjectNamespace<LinkClicks>;
  const sums = { objectRequests: 0, rowsRead: 0, rowsWritten: 0 };
  for (const link of links) {
    const used = await objects.getByName(addressObjectName(link.domain, link.slug)).visit({ links: [link], clicks });
    sums.objectRequests += used.objectRequests;
    sums.rowsRead += used.rowsRead;
    sums.rowsWritten += used.rowsWritten;
  }
  return sums;
}

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url);
    if (pathname === "/.fill") {
      await fill(env, await request.json());
      return new Response(null, { status: 204 });
    }
    if (pathname === "/.visit") return Response.json(await visit(env, await request.json()));
    if (pathname !== "/.measure") return worker.fetch(request, env, ctx);
    const question = await request.json<AccountStatsQuestion>();
    const objects = env.ACCOUNT_CLICKS as unknown as DurableObjectNamespace<AccountClicks>;
    return Response.json(await objects.getByName(feedName(question.accountId, question.mode)).measure(question));
  },
} satisfies ExportedHandler<Env>;
