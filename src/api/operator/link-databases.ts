/** What the operator's command `links databases` reads and does. Each request is a bounded step, and may be repeated. */
import { type LinkDatabasesReport, MoveBuckets, type MoveOutcome } from "../../core/contract/link-databases.ts";
import { formatDatabaseMap, parseDatabaseMap, placesDuringMove } from "../../core/links/database-map.ts";
import { closeBuckets, moveNextLinks } from "../../store/links/bucket-moves.ts";
import { readDatabaseSizes } from "../../store/links/database-sizes.ts";
import { databaseNamed } from "../../store/links/links-database.ts";
import { createHandlers } from "../context.ts";
import { noQuery, parseOrThrow } from "../middleware/input.ts";
import { readBoundedJson } from "../middleware/request-body.ts";

const BODY_MAX_BYTES = 1_024;

export const getLinkDatabasesRoute = createHandlers(noQuery, async (c) => {
  const { LINK_DATABASES } = c.env;
  return c.json({
    setting: formatDatabaseMap(parseDatabaseMap(LINK_DATABASES).places),
    databases: await readDatabaseSizes(c.env),
  } satisfies LinkDatabasesReport);
});

export const moveBucketsRoute = createHandlers(noQuery, async (c) => {
  const { first, last, to, after } = parseOrThrow(MoveBuckets, await readBoundedJson(c.req.raw, BODY_MAX_BYTES));
  const { places } = parseDatabaseMap(c.env.LINK_DATABASES);
  const buckets = places.flatMap((_, bucket) => (bucket >= first && bucket <= last ? [bucket] : []));
  const sources = new Set(buckets.map((bucket) => (places[bucket]?.database === to ? places[bucket].source : null)));
  const [source] = sources;
  if (sources.size !== 1 || !source) {
    const setting = formatDatabaseMap(placesDuringMove(places, new Set(buckets), to));
    return c.json(
      refusal(`This deployment does not know of the move. Deploy it first with LINK_DATABASES = ${setting}`),
    );
  }
  const [from, target] = [databaseNamed(c.env, source), databaseNamed(c.env, to)];
  if (after === null) await closeBuckets(from, target, buckets);
  const step = await moveNextLinks(from, target, buckets, after);
  return c.json({ outcome: "moved", ...step } satisfies MoveOutcome);
});

function refusal(message: string): MoveOutcome {
  return { outcome: "refused", message };
}
