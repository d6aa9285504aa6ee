/** The guide's settings for MCP hosts, and what a client finds with them. */
import { Client } from "@modelcontextprotocol/client";
import * as z from "zod";

import { Agent } from "./agent.ts";
import { EXAMPLES, type Example } from "./examples.ts";

/** In place of a key. */
export const PLACEHOLDER = "svc_live_...";

/** `claude_desktop_config.json` */
export const ClaudeDesktopSettings = z.strictObject({
  mcpServers: z.record(
    z.string(),
    z.strictObject({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  ),
});

/** The settings below the host's name. @throws when the guide has none */
export function settingsFor(host: string): Example {
  const settings = EXAMPLES.find(
    ({ text, introduction }) => text === "src/docs/mcp.md" && introduction.startsWith(`**${host}**`),
  );
  if (!settings) throw new Error(`no settings for ${host}`);
  return settings;
}

/** The settings with the server's address in place of the guide's. */
export function settingsAt(port: number, { code }: Example): string {
  if (!code.includes("localhost:8787/mcp")) throw new Error(`no address in ${code}`);
  return code.replaceAll("localhost:8787", `localhost:${port}`);
}

export async function toolsBy(transport: Parameters<Client["connect"]>[0]): Promise<string[]> {
  const client = new Client({ name: "test-host", version: "1.0.0" });
  await client.connect(transport);
  const names = await new Agent(client).toolNames();
  await client.close();
  return names;
}
