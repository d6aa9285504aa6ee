/**
 * The Worker with one more request, which fills the log of a link with made-up clicks: `POST /.fill` with the link's
 * `id`, `domain`, `slug`, the number of `clicks`, and the `seq` after which exports fail, if any. Never deployed.
 */
import { LinkClicks as RealLinkClicks } from "../../src/clicks/link-clicks.ts";
import type { ExportRequest, LinkAnswer } from "../../src/core/clicks/protocol/link-object-rpc.ts";
import worker from "../../src/worker.ts";
import { packClicks } from "../support/pack-clicks.ts";
import { snapshotAt } from "./bench-link.ts";
import { ClickMix } from "./click-mix.ts";

export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

export interface ExportFill {
  id: string;
  domain: string;
  slug: string;
  clicks: number;
  failsAfter?: number | undefined;
}

const BATCH_CLICKS = 50;
const MINUTE_MS = 60_000;

export class LinkClicks extends RealLinkClicks {
  readonly #mix = new ClickMix();
  #batches = 0;

  #failsAfter = Infinity;

  override exportClicks(request: ExportRequest): Promise<LinkAnswer<"exportClicks">> {
    if (request.after >= this.#failsAfter) throw new Error("this object fails");
    return super.exportClicks(request);
  }

  async fill({ clicks, failsAfter = Infinity, ...link }: ExportFill): Promise<void> {
    this.#failsAfter = failsAfter;
    const snapshot = { ...snapshotAt(1), ...link };
    for (let left = clicks; left > 0; left -= BATCH_CLICKS) {
      const at = Date.parse("2026-01-01T00:00:00Z") + this.#batches * MINUTE_MS;
      const packed = packClicks(this.#mix.batch(at, Math.min(BATCH_CLICKS, left)));
      await this.record({ id: 2 ** 40 + ++this.#batches, revision: 1, clicks: packed, snapshot });
    }
  }
}

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== "/.fill") return worker.fetch(request, env, ctx);
    const filling = await request.json<ExportFill>();
    const objects = env.LINK_CLICKS as unknown as DurableObjectNamespace<LinkClicks>;
    await objects.getByName(`${filling.domain}/${filling.slug.toLowerCase()}`).fill(filling);
    return new Response(null, { status: 204 });
  },
} satisfies ExportedHandler<Env>;
