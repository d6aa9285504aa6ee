/** `hoplink backtest LINK`: shows where past clicks would have gone under other rules. */
import type { Command } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import type { Backtest } from "../../index.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { linkIdOf, serviceCommand, withSession } from "../session.ts";
import type { Colors, Io } from "../io.ts";
import { readRules } from "../files.ts";
import { type Column, localTime, percent, tableLines, visibleText } from "../terminal-text.ts";
import { pastTime } from "../options.ts";

const SAMPLES_SHOWN = 5;

export function addBacktestCommand(program: Command, io: Io): void {
  serviceCommand(program, "backtest", "Show where past clicks would have gone under other rules; changes nothing")
    .argument("<LINK>", "ID, slug or short URL of the link")
    .requiredOption("--routing <FILE>", "Rules to test, as a JSON array (- for stdin)")
    .option("--url <URL>", "Destination if no rule matches (default: the link's destination)")
    .option("--from <TIME>", "Start of the range: a time, or an age such as 7d (default: 30d)")
    .option("--to <TIME>", "End of the range (default: now)")
    .option("--include-bots", "Include declared bots and prefetches")
    .action((name, { url, from, to, includeBots, routing, json, profile }) =>
      withSession(io, { profile }, async (session) => {
        const now = Date.now();
        const body = {
          routing: await readRules(io, routing),
          ...(url !== undefined && { url: completeUrl(url) }),
          ...(from !== undefined && { from: pastTime(from, now) }),
          ...(to !== undefined && { to: pastTime(to, now) }),
          ...(includeBots && { include_bots: true }),
        };
        const id = await linkIdOf(session, name);
        const backtest = await session.hoplink.links.backtest(id, body, { signal: io.signal });
        if (json) await io.printJson(backtest);
        else await io.print(...backtestLines(backtest, io.colors, io.width));
      }),
    );
}

function backtestLines(backtest: Backtest, colors: Colors, width: number | undefined): string[] {
  const { clicks, moved, undecided, rules, samples, from, to } = backtest;
  const columns: Column<Backtest["rules"][number]>[] = [
    { title: "RULE", cell: ({ rule }) => rule },
    { title: "BEFORE", align: "right", cell: ({ before }) => figure(before) },
    { title: "AFTER", align: "right", cell: ({ after }) => figure(after) },
    { title: "CHANGE", align: "right", cell: ({ before, after }) => change(after - before) },
  ];
  const share = clicks === 0 ? "" : ` (${percent(moved, clicks)})`;
  return [
    `${colors.bold(figure(moved))} of ${figure(clicks)} clicks would have gone elsewhere${share}  ${colors.dim(`${localTime(from)} – ${localTime(to)}`)}`,
    ...(undecided > 0 ? [`Clicks that could not be evaluated: ${figure(undecided)}`] : []),
    "",
    ...tableLines(columns, rules, width, colors.bold),
    ...sampleLines(samples),
  ];
}

/** Duplicates are removed, because most clicks of a link go to the same few destinations. */
function sampleLines(samples: Backtest["samples"]): string[] {
  const lines = samples.map(({ before, after }) => `${visibleText(before)} → ${visibleText(after)}`);
  const shown = [...new Set(lines)].slice(0, SAMPLES_SHOWN);
  return shown.length > 0 ? ["", ...shown] : [];
}

function change(clicks: number): string {
  return clicks > 0 ? `+${figure(clicks)}` : figure(clicks);
}
