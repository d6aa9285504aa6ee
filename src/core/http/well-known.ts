/**
 * Documents at fixed paths: the MCP server's card, `/.well-known/api-catalog` and `/.well-known/security.txt`. Pure.
 */
import type { AbuseContact } from "../deployment/settings.ts";
import { DAY_MS } from "../time.ts";
import { RELEASE } from "../release.ts";

/**
 * The MCP server's card: what a program must know before it can connect (SEP-2127 of MCP). It does not list tools,
 * because they depend on the key. MCP reserves this path, below the server's own URL, for the card.
 */
export const SERVER_CARD_PATH = "/mcp/server-card";
export const SERVER_CARD_TYPE = "application/mcp-server-card+json";

/** The server's identity, on its card and for connected clients. */
export function mcpServerIdentity(baseUrl: string) {
  return {
    name: `${reversedHost(baseUrl)}/hoplink`,
    title: "Hoplink",
    description: "Find, create and change short links, test routing rules, and read click statistics.",
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
            description: "An API key, created in the dashboard under Settings, API keys",
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

/** The host's labels in reverse, as in package names. Characters that a name cannot contain are replaced. */
function reversedHost(baseUrl: string): string {
  const host = new URL(baseUrl).hostname.replaceAll(/[^a-z0-9.-]/g, "-");
  return host.split(".").reverse().join(".");
}

export const API_CATALOG_PATH = "/.well-known/api-catalog";
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/**
 * A link set (RFC 9264) of the APIs, for `/.well-known/api-catalog` (RFC 9727). URLs are absolute, since a catalog may
 * be read apart from its location.
 */
export function apiCatalog(baseUrl: string) {
  const api = (path: string, title: string) => ({ href: baseUrl + path, title });
  const page = (path: string, type: string, title: string) => ({ href: baseUrl + path, type, title });
  const status = [page("/health", "application/json", "Service health")];
  return {
    linkset: [
      {
        anchor: baseUrl + API_CATALOG_PATH,
        item: [api("/v1", "REST API"), api("/mcp", "MCP server")],
      },
      {
        anchor: `${baseUrl}/v1`,
        "service-desc": [
          page("/openapi.json", "application/json", "OpenAPI document"),
          page("/asyncapi.json", "application/json", "AsyncAPI document of the live stream"),
        ],
        "service-doc": [
          page("/docs/api", "text/html", "API reference"),
          page("/llms.txt", "text/plain", "Documentation as plain text"),
        ],
        status,
      },
      {
        anchor: `${baseUrl}/mcp`,
        "service-desc": [page(SERVER_CARD_PATH, SERVER_CARD_TYPE, "MCP server card")],
        "service-doc": [page("/docs/mcp", "text/html", "Agents (MCP)")],
        status,
      },
    ],
  };
}

/** RFC 9116 recommends less than a year: a stored copy should not be trusted for longer. */
const VALID_DAYS = 180;

/**
 * `/.well-known/security.txt` (RFC 9116): where to report a vulnerability.
 * @param now  epoch ms
 * @returns null without a contact that the RFC allows: an email address or an https URL
 */
export function securityText(contact: AbuseContact | "invalid" | null, baseUrl: string, now: number): string | null {
  if (contact === null || contact === "invalid" || contact.href.startsWith("http:")) return null;
  return [
    `Contact: ${contact.href}`,
    `Expires: ${expiry(now)}`,
    "Preferred-Languages: en",
    // The RFC accepts https only.
    ...(baseUrl.startsWith("https:") ? [`Canonical: ${baseUrl}/.well-known/security.txt`] : []),
    "",
  ].join("\n");
}

/** Midnight, so that the text stays the same all day. */
function expiry(now: number): string {
  const day = now - (now % DAY_MS) + VALID_DAYS * DAY_MS;
  return new Date(day).toISOString().replace(".000Z", "Z");
}
