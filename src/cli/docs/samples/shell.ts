/** Renders a request as commands for a POSIX shell: curl, and `hoplink`. */
import type { SampleRequest } from "./sample-request.ts";

/** With the key in `$KEY`. */
export function curlSample({ method, url, body, answer }: SampleRequest): string {
  const options = [answer === "stream" ? "-N" : "-s", ...(method === "GET" ? [] : [`-X ${method}`])];
  return [
    `curl ${options.join(" ")} "${url}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

type Render = (request: SampleRequest) => string;

/** By operation. The others have no command. */
const COMMANDS: Readonly<Record<string, Render>> = {
  createLink: ({ body }) => {
    const { url, ...more } = members(body);
    return command("links create", [String(url)], more);
  },
  listLinks: ({ query }) => command("links list", [], query),
  getLink: ({ pathValues }) => command("links get", pathValues),
  updateLink: ({ pathValues, body }) => {
    const { routing, ...more } = members(body);
    const update = command("links update", pathValues, more);
    return routing === undefined ? update : withRules(update, routing);
  },
  deleteLink: ({ pathValues }) => `${command("links delete", pathValues)} --yes`,
  backtestLink: ({ pathValues, body }) => {
    const { routing, ...more } = members(body);
    return withRules(command("backtest", pathValues, more), routing);
  },
  getLinkStats: ({ pathValues, query }) => command("stats", pathValues, query),
  getAccountStats: ({ query }) => command("stats", [], query),
  listClicks: ({ pathValues, query }) => command("export", pathValues, withoutCursor(query)),
  listAccountClicks: ({ query }) => command("export", [], withoutCursor(query)),
  streamEvents: () => "hoplink tail",
  getMe: () => "hoplink whoami",
};

/** With the key from `hoplink login`. @returns null where there is no command */
export function commandLineSample(request: SampleRequest): string | null {
  return COMMANDS[request.operationId]?.(request) ?? null;
}

/** An export reads page after page by itself. */
function withoutCursor(query: Record<string, unknown>): Record<string, unknown> {
  return { ...query, after: undefined };
}

/** Rules are read from a file, or here from stdin. */
function withRules(commandLine: string, routing: unknown): string {
  return `echo ${shellQuoted(JSON.stringify(routing))} |\n  ${commandLine} --routing -`;
}

function members(body: unknown): Record<string, unknown> {
  return body instanceof Object ? { ...body } : {};
}

function command(name: string, words: readonly string[], options: Record<string, unknown> = {}): string {
  const pairs = Object.entries(options).flatMap(([member, value]) =>
    value === undefined ? [] : [`--${member.replaceAll("_", "-")} ${String(value)}`],
  );
  return ["hoplink", name, ...words, ...pairs].join(" ");
}
