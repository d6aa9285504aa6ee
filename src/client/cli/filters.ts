/** Filters and ranges of statistics and click logs, as options. */
import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";

import { GROUPINGS } from "../../core/clicks/groupings.ts";
import { collect } from "./command.ts";
import { usageFailure } from "./failure.ts";
import { pastTime } from "./times.ts";

/** Of the whole account alone. */
const ACCOUNT_GROUPINGS = ["link", "tag", "domain"] as const;
export const ALL_GROUPINGS = [...GROUPINGS, ...ACCOUNT_GROUPINGS] as const;

export interface RangeOptions {
  from?: string | undefined;
  to?: string | undefined;
  filter?: readonly string[] | undefined;
}

export function withRange<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  defaultFrom?: string,
) {
  return command
    .addOption(new Option("--from <TIME>", "since then: a time, or 12h, 30d ago").default(defaultFrom))
    .option("--to <TIME>", "until then; now when not given")
    .option("--filter <NAME=KEYS>", "as country=DE,AT or device=mobile; may be given several times", collect);
}

/** @returns members of a query @throws Failure */
export function rangeQuery({ from, to, filter = [] }: RangeOptions): Record<string, string> {
  const now = Date.now();
  return {
    ...Object.fromEntries(filter.map(parseFilter)),
    ...(from !== undefined && { from: pastTime(from, now) }),
    ...(to !== undefined && { to: pastTime(to, now) }),
  };
}

function parseFilter(text: string): [string, string] {
  const [, name = "", keys = ""] = /^(\w+)=(.+)$/su.exec(text) ?? [];
  const known = [...ALL_GROUPINGS.filter((grouping) => grouping !== "link"), "link_id"];
  if (known.includes(name)) return [name, keys];
  throw usageFailure(`“${text}” is no filter`, `Write NAME=KEY or NAME=KEY,KEY with one of ${known.join(", ")}.`);
}
