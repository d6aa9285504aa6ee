/** What there is to know of the APIs, for programs: `/.well-known/api-catalog` (RFC 9727) as a link set (RFC 9264). Pure. */
import { SERVER_CARD_PATH, SERVER_CARD_TYPE } from "./mcp-server-card.ts";

export const API_CATALOG_PATH = "/.well-known/api-catalog";
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

interface LinkTarget {
  href: string;
  type?: string;
  title: string;
}

type Relation = "item" | "service-desc" | "service-doc" | "status";

interface ApiCatalog {
  linkset: ({ anchor: string } & Partial<Record<Relation, LinkTarget[]>>)[];
}

/** Absolute addresses, since a catalog is read apart from where it was found. */
export function apiCatalog(baseUrl: string): ApiCatalog {
  const api = (path: string, title: string): LinkTarget => ({ href: baseUrl + path, title });
  const page = (path: string, type: string, title: string): LinkTarget => ({ href: baseUrl + path, type, title });
  const status = [page("/health", "application/json", "Whether the service answers")];
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
          page("/docs", "text/html", "API reference"),
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
