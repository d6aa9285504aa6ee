/** What there is to know of the API, for programs: `/.well-known/api-catalog` (RFC 9727) as a link set (RFC 9264). Pure. */

export const API_CATALOG_PATH = "/.well-known/api-catalog";
export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

interface LinkTarget {
  href: string;
  type: string;
  title: string;
}

export interface ApiCatalog {
  linkset: [{ anchor: string } & Record<"service-desc" | "service-doc" | "status", LinkTarget[]>];
}

/** Absolute addresses, since a catalog is read apart from where it was found. */
export function apiCatalog(baseUrl: string): ApiCatalog {
  const target = (path: string, type: string, title: string): LinkTarget => ({ href: baseUrl + path, type, title });
  return {
    linkset: [
      {
        anchor: `${baseUrl}/v1`,
        "service-desc": [
          target("/openapi.json", "application/json", "OpenAPI document"),
          target("/asyncapi.json", "application/json", "AsyncAPI document of the live stream"),
        ],
        "service-doc": [
          target("/docs", "text/html", "API reference"),
          target("/llms.txt", "text/plain", "Documentation as plain text"),
        ],
        status: [target("/health", "application/json", "Whether the service answers")],
      },
    ],
  };
}
