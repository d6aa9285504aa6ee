/**
 * The guide's settings for hosts of MCP: each has the form that its host documents, and what is in it connects. Hosts fill their
 * variables in, which the test does for them; a program that a host would start is started.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";

import { Agent } from "../support/agent.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { type Example, examplesRunBy } from "../support/examples.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLES = examplesRunBy(import.meta.filename);
const tried = new Set<Example>();
const PLACEHOLDER = "svc_live_...";
const STARTED_PROGRAM_MS = 120_000;

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

const ClaudeDesktopSettings = z.strictObject({
  mcpServers: z.record(
    z.string(),
    z.strictObject({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  ),
});

let server: DevServer;
let key: string;
let home: string;

beforeAll(async () => {
  server = await startDevServer();
  key = server.accounts.Premium.live;
  home = mkdtempSync(join(tmpdir(), "hoplink-mcp-"));
});

afterAll(async () => {
  await server.remove();
  rmSync(home, { recursive: true, force: true });
});

/** The settings below the host's name, with this server's address. */
function settingsFor(host: string): string {
  const settings = EXAMPLES.find(({ introduction }) => introduction.startsWith(`**${host}**`));
  if (!settings) throw new Error(`no settings for ${host}`);
  tried.add(settings);
  expect(settings.code).toContain("localhost:8787/mcp");
  return settings.code.replaceAll("localhost:8787", `localhost:${server.port}`);
}

async function toolsBy(transport: Parameters<Client["connect"]>[0]): Promise<string[]> {
  const client = new Client({ name: "test-host", version: "1.0.0" });
  await client.connect(transport);
  const names = await new Agent(client).toolNames();
  await client.close();
  return names;
}

function toolsAt(url: string, headers: Record<string, string>): Promise<string[]> {
  return toolsBy(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
}

/** @param fill  what the host puts in the place of a variable */
function filled(headers: Record<string, string>, fill: Record<string, string>): Record<string, string> {
  const values = Object.entries(headers).map(([name, text]) => {
    const value = text.replaceAll(/\$\{([^}]+)\}/g, (_, variable: string) => fill[variable] ?? `no ${variable}`);
    return [name, value] as const;
  });
  return Object.fromEntries(values);
}

test("Claude Code: the command names a transport, an address and a header that connect", async () => {
  const command = settingsFor("Claude Code").trim();
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  const [url = "", option, header = ""] = words.slice(6);
  expect(words.slice(0, 6)).toEqual(["claude", "mcp", "add", "--transport", "http", "hoplink"]);
  expect(option).toBe("--header");
  const [name = "", value = ""] = header.replace(PLACEHOLDER, key).split(": ");
  expect(await toolsAt(url, { [name]: value })).toContain("find_links");
});

test("VS Code: the key is asked for, and the server connects with it", async () => {
  const { inputs, servers } = VsCodeSettings.parse(JSON.parse(settingsFor("VS Code")));
  const { type, url = "", headers = {} } = servers["hoplink"] ?? {};
  expect(type).toBe("http");
  const answers = Object.fromEntries(inputs.map(({ id }) => [`input:${id}`, key]));
  expect(await toolsAt(url, filled(headers, answers))).toContain("find_links");
});

test("Cursor: the server connects with a key of the environment", async () => {
  const { mcpServers } = CursorSettings.parse(JSON.parse(settingsFor("Cursor")));
  const { url = "", headers = {} } = mcpServers["hoplink"] ?? {};
  expect(await toolsAt(url, filled(headers, { "env:HOPLINK_KEY": key }))).toContain("find_links");
});

test("Claude Desktop: the program that it starts connects", { timeout: STARTED_PROGRAM_MS }, async () => {
  const { mcpServers } = ClaudeDesktopSettings.parse(JSON.parse(settingsFor("Claude Desktop")));
  const { command = "", args = [], env = {} } = mcpServers["hoplink"] ?? {};
  const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, text.replace(PLACEHOLDER, key)]));
  expect(Object.values(own).join()).toContain(key);
  // In this folder npx finds the program among the dev dependencies, and downloads nothing.
  const inherited = { PATH: process.env["PATH"] ?? "", HOME: home, npm_config_offline: "true" };
  const started = { command, args, env: { ...inherited, ...own }, cwd: ROOT, stderr: "ignore" as const };
  expect(await toolsBy(new StdioClientTransport(started))).toContain("find_links");
});

test("every host of the guide was tried", () => {
  expect(EXAMPLES.filter((example) => !tried.has(example))).toEqual([]);
});
