/** The program that an MCP host starts, by the guide's settings. */
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { ClaudeDesktopSettings, PLACEHOLDER, settingsAt, settingsFor, toolsBy } from "../support/mcp-hosts.ts";

const MCP_REMOTE = join(import.meta.dirname, "node_modules/mcp-remote/dist/proxy.js");
const STARTED_PROGRAM_MS = 120_000;

let server: DevServer;
let home: string;

beforeAll(async () => {
  server = await startDevServer();
  home = mkdtempSync(join(tmpdir(), "hoplink-mcp-"));
});

afterAll(async () => {
  await server?.remove();
  if (home) rmSync(home, { recursive: true, force: true });
});

test("Claude Desktop: the program that it starts connects", { timeout: STARTED_PROGRAM_MS }, async () => {
  const settings = settingsAt(server.port, settingsFor("Claude Desktop"));
  const { mcpServers } = ClaudeDesktopSettings.parse(JSON.parse(settings));
  const { command = "", args = [], env = {} } = mcpServers["hoplink"] ?? {};
  const key = server.accounts.Premium.live;
  const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, text.replace(PLACEHOLDER, key)]));
  expect(Object.values(own).join()).toContain(key);
  // The same layout as when npm links a program, so that npx finds it and downloads nothing.
  mkdirSync(join(home, "node_modules/.bin"), { recursive: true });
  symlinkSync(MCP_REMOTE, join(home, "node_modules/.bin/mcp-remote"));
  const inherited = { PATH: process.env["PATH"] ?? "", HOME: home, npm_config_offline: "true" };
  const started = { command, args, env: { ...inherited, ...own }, cwd: home, stderr: "ignore" as const };
  expect(await toolsBy(new StdioClientTransport(started))).toContain("find_links");
});
