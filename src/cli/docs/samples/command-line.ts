/** Renders a request as a command of `hoplink`, which has the key from `hoplink login`. */
import { shellQuoted } from "./curl.ts";
import type { SampleRequest } from "./sample-request.ts";

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
    return routing === undefined ? update : `echo ${shellQuoted(JSON.stringify(routing))} |\n  ${update} --routing -`;
  },
  deleteLink: ({ pathValues }) => `${command("links delete", pathValues)} --yes`,
  getMe: () => "hoplink whoami",
};

/** @returns null where there is no command */
export function commandLineSample(request: SampleRequest): string | null {
  return COMMANDS[request.operationId]?.(request) ?? null;
}

function members(body: unknown): Record<string, unknown> {
  return body instanceof Object ? { ...body } : {};
}

function command(name: string, words: readonly string[], options: Record<string, unknown> = {}): string {
  const pairs = Object.entries(options).map(([member, value]) => `--${member.replaceAll("_", "-")} ${String(value)}`);
  return ["hoplink", name, ...words, ...pairs].join(" ");
}
