/** `hoplink stats`: of one link, or of the whole account. */
import { type Command, Option } from "@commander-js/extra-typings";

import { INTERVALS } from "../../../core/clicks/groupings.ts";
import type { LinkStatsQuery, StatsQuery } from "../../index.ts";
import { serviceCommand, withSession } from "../command.ts";
import { usageFailure } from "../failure.ts";
import { ALL_GROUPINGS, rangeQuery, withRange } from "../filters.ts";
import type { Io } from "../io.ts";
import { linkIdOf } from "../links/find-link.ts";
import { statsCsv, statsLines } from "../stats/stats-text.ts";

const FROM_DEFAULT = "30d";

export function addStatsCommand(program: Command, io: Io): void {
  withRange(serviceCommand(program, "stats", "show clicks of the account, or of a link"), FROM_DEFAULT)
    .argument("[LINK]", "its id, slug or short URL")
    .addOption(
      new Option("--group-by <GROUPING>", "what to count by").choices(ALL_GROUPINGS).default("country" as const),
    )
    .addOption(new Option("--interval <INTERVAL>", "count over time as well").choices(INTERVALS))
    .option("--timezone <ZONE>", "of the intervals, as Europe/Berlin; UTC when not given")
    .option("--uniques", "count visitors as well")
    .option("--include-bots", "with declared bots and prefetches")
    .option("--csv", "print CSV: by time with --interval, else by the grouping")
    .action((name, options) =>
      withSession(io, options, async (session) => {
        const { groupBy, interval, timezone, uniques, includeBots, csv, json } = options;
        if (csv && json) throw usageFailure("Choose --csv or --json");
        // People see how it went over time; programs get what they asked for.
        const shown = interval ?? (csv || json ? undefined : ("day" as const));
        const query = {
          ...rangeQuery(options),
          group_by: groupBy,
          ...(shown && { interval: shown }),
          ...(shown && timezone !== undefined && { timezone }),
          ...(uniques && { include: "uniques" as const }),
          ...(includeBots && { include_bots: true }),
        };
        const { hoplink } = session;
        const stats =
          name === undefined
            ? await hoplink.stats(query as StatsQuery, { signal: io.signal })
            : await hoplink.links.stats(await linkIdOf(session, name), query as LinkStatsQuery, { signal: io.signal });
        if (json) await io.printJson(stats);
        else if (csv) await io.write(statsCsv(stats));
        else await io.print(...statsLines(stats, io.colors, io.width));
      }),
    );
}
