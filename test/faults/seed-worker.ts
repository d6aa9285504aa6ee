/**
 * The part of the faulty Worker that records past clicks for links that the API created, in packed batches as isolates
 * send them. Never deployed.
 */
import { recordBatch } from "../../src/store/link-object-client.ts";
import { type LinkRow, snapshotOf } from "../../src/store/links/link-rows.ts";
import { linksDatabase } from "../../src/store/directory/databases.ts";
import { ClickMix } from "../bench/click-mix.ts";
import { packClicks } from "../support/pack-clicks.ts";

export interface SeedRequest {
  id: string;
  clicks: number;
  /** Ids of the link's QR codes. */
  codes: readonly string[];
  /** The times that the clicks are spread over, epoch ms. */
  from: number;
  to: number;
}

const BATCH_CLICKS_MAX = 300;

const mix = new ClickMix();

export default {
  async fetch(request, env) {
    const { id, clicks, codes, from, to } = (await request.json()) as SeedRequest;
    const database = linksDatabase(env, { id });
    const row = await database.prepare("SELECT * FROM links WHERE id = ?1").bind(id).first<LinkRow>();
    if (!row) return new Response(`no link ${id}`, { status: 404 });
    const snapshot = snapshotOf(row);
    for (let made = 0; made < clicks;) {
      const size = Math.min(mix.size(BATCH_CLICKS_MAX), clicks - made);
      const at = Math.floor(from + (made / clicks) * (to - from));
      const some = mix.batch(at, size).map((click, i) => ({
        ...click,
        qr: (click.qr && codes[i % codes.length]) ?? "",
        utm_campaign: i % 7 === 0 ? "spring" : "",
      }));
      const batch = { id: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0, revision: snapshot.revision, snapshot };
      const { kind } = await recordBatch(env, snapshot, { ...batch, clicks: packClicks(some) });
      if (kind !== "recorded") return new Response(kind, { status: 500 });
      made += size;
    }
    return new Response("seeded");
  },
} satisfies ExportedHandler<Env>;
