/** The options of `links create` and `links update`: every member that can be written. */
import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";

import type { UpdateLink } from "../../index.ts";
import { collect } from "../command.ts";
import type { Io } from "../io.ts";
import { comingTime, TIME_SYNTAX } from "../times.ts";
import { readRules } from "./rules-file.ts";

export interface LinkOptions {
  title?: string | undefined;
  tag?: readonly string[] | undefined;
  startsAt?: string | undefined;
  expiresAt?: string | undefined;
  fallbackUrl?: string | undefined;
  forwardQuery?: boolean | undefined;
  routing?: string | undefined;
}

export function withLinkOptions<Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) {
  return command
    .option("--title <TEXT>", "a name for people, which visitors never see")
    .option("--tag <TAG>", "may be given several times", collect)
    .option("--routing <FILE>", "routing rules, as a JSON list (- for stdin)")
    .option("--starts-at <TIME>", `when it opens: ${TIME_SYNTAX} 12h, 7d from now`)
    .option("--expires-at <TIME>", "when it ends")
    .option("--fallback-url <URL>", "where visitors go before it opens and after it ends")
    .option("--forward-query", "pass the query of a visit on to its destination")
    .addOption(new Option("--no-forward-query").hideHelp());
}

/** @returns what was named alone */
export async function linkMembers(io: Io, options: LinkOptions): Promise<Omit<UpdateLink, "url">> {
  const now = Date.now();
  const { title, tag, startsAt, expiresAt, fallbackUrl, forwardQuery, routing } = options;
  return {
    ...(title !== undefined && { title }),
    ...(tag && { tags: [...tag] }),
    ...(routing !== undefined && { routing: await readRules(io, routing) }),
    ...(startsAt !== undefined && { starts_at: comingTime(startsAt, now) }),
    ...(expiresAt !== undefined && { expires_at: comingTime(expiresAt, now) }),
    ...(fallbackUrl !== undefined && { fallback_url: fallbackUrl }),
    ...(forwardQuery !== undefined && { forward_query: forwardQuery }),
  };
}
