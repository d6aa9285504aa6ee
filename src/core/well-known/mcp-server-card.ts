/**
 * The card of the MCP server: what a program must know to connect, before it does (SEP-2127 of MCP). Tools are not on it:
 * they follow from the key. Pure.
 */
import { RELEASE } from "../release.ts";

/** Below the server's own address: MCP reserves it for the card. */
export const SERVER_CARD_PATH = "/mcp/server-card";
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";

/** Who the server says it is, on its card and to who has connected. */
export function mcpServerIdentity(baseUrl: string) {
  return {
    name: `${reversedHost(baseUrl)}/hoplink`,
    title: "Hoplink",
    description: "Short links: find, make and change them, try routing rules, read click statistics.",
    version: RELEASE,
    websiteUrl: `${baseUrl}/docs/mcp`,
  };
}

export function mcpServerCard(baseUrl: string) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    ...mcpServerIdentity(baseUrl),
    remotes: [
      {
        type: "streamable-http",
        url: `${baseUrl}/mcp`,
        supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
        headers: [
          {
            name: "Authorization",
            description: "An API key, made in the dashboard under Settings, API keys",
            value: "Bearer {api_key}",
            isRequired: true,
            isSecret: true,
            variables: {
              api_key: { description: "API key", placeholder: "svc_live_...", isRequired: true, isSecret: true },
            },
          },
        ],
      },
    ],
  };
}

/** As names of packages have it. Of an address in brackets what a name may not have is replaced. */
function reversedHost(baseUrl: string): string {
  const host = new URL(baseUrl).hostname.replaceAll(/[^a-z0-9.-]/g, "-");
  return host.split(".").reverse().join(".");
}
