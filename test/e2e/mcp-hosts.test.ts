/**
 * The guide's settings for MCP hosts: each has the form that its host documents, and its contents connect. Hosts
 * replace their variables, which the test does for them. The program that a host starts is started in `test/compat`.
 */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";

import type { DevServer } from "../support/dev-server.ts";
import { type Example, examplesRunBy } from "../support/examples.ts";
import { ClaudeDesktopSettings, PLACEHOLDER, settingsAt, settingsFor, toolsBy } from "../support/mcp-hosts.ts";
import { sharedServer } from "../support/shared-server.ts";

const EXAMPLES = examplesRunBy(import.meta.filename);
const tried = new Set<Example>();

const Headers = z.record(z.string(), z.string());

/** `.vscode/mcp.json`: VS Code marks every other member as wrong. */
const VsCodeSettings = z.strictObject({
  inputs: z.array(
    z.strictObject({
      id: z.string(),
      type: z.literal("promptString"),
      description: z.string(),
      password: z.literal(true),
    }),
  ),
  servers: z.record(
    z.string(),
    z.strictObject({ type: z.enum(["http", "sse"]), url: z.string().regex(/^https?:\/\/.+/), headers: Headers }),
  ),
});

const CursorSettings = z.strictObject({
  mcpServers: z.record(z.string(), z.strictObject({ url: z.url(), headers: Headers })),
});

let server: DevServer;
let key: string;

beforeAll(async () => {
  server = await sharedServer();
  key = server.accounts.Premium.live;
});

function tryHost(host: string): string {
  const settings = settingsFor(host);
  tried.add(settings);
  return settingsAt(server.port, settings);
}

function toolsAt(url: string, headers: Record<string, string>): Promise<string[]> {
  return toolsBy(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

/** @param fill  the host's value for a variable */
function filled(headers: Record<string, string>, fill: Record<string, string>): Record<string, string> {
  const values = Object.entries(headers).map(([name, text]) => {
    const value = text.replaceAll(/\$\{([^}]+)\}/g, (_, variable: string) => fill[variable] ?? `no ${variable}`);
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

test("Claude Code: the command names a transport, an address and a header that connect", async () => {
  const command = tryHost("Claude Code").trim();
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  const [url = "", option, header = ""] = words.slice(6);
  expect(words.slice(0, 6)).toEqual(["claude", "mcp", "add", "--transport", "http", "hoplink"]);
  expect(option).toBe("--header");
  const [name = "", value = ""] = header.replace(PLACEHOLDER, key).split(": ");
  expect(await toolsAt(url, { [name]: value })).toContain("find_links");
});

test("VS Code: prompts for the key, and the server connects with it", async () => {
  const { inputs, servers } = VsCodeSettings.parse(JSON.parse(tryHost("VS Code")));
  const { type, url = "", headers = {} } = servers["hoplink"] ?? {};
  expect(type).toBe("http");
  const answers = Object.fromEntries(inputs.map(({ id }) => [`input:${id}`, key]));
  expect(await toolsAt(url, filled(headers, answers))).toContain("find_links");
});

test("Cursor: the server connects with a key of the environment", async () => {
  const { mcpServers } = CursorSettings.parse(JSON.parse(tryHost("Cursor")));
  const { url = "", headers = {} } = mcpServers["hoplink"] ?? {};
  expect(await toolsAt(url, filled(headers, { "env:HOPLINK_API_KEY": key }))).toContain("find_links");
});

test("Claude Desktop: a program is started with the address and a key of the environment", () => {
  const { mcpServers } = ClaudeDesktopSettings.parse(JSON.parse(tryHost("Claude Desktop")));
  const { args = [], env = {} } = mcpServers["hoplink"] ?? {};
  expect(args).toContain(`${server.base}/mcp`);
  expect(Object.values(env)).toEqual([`Bearer ${PLACEHOLDER}`]);
});

test("every host of the guide was tested", () => {
  expect(EXAMPLES.filter((example) => !tried.has(example))).toEqual([]);
});
