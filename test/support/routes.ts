/** Every route of the API with its required scope, for tests of the shared error responses. */
import type { Scope } from "../../src/core/account.ts";
import type { Link } from "../../src/core/contract/links.ts";
import type { TestAccount } from "./test-accounts.ts";
import type { ApiResponse } from "./api-response.ts";
import { RED_PNG } from "./sample-images.ts";

export interface ApiRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/v1`, as the router names it. */
  path: string;
  /** Null when any key will do. */
  scope: Scope | null;
  /** A valid body; `:id` stands for the link's id. */
  body?: Record<string, unknown>;
  /** A valid file, which is sent instead of JSON. */
  file?: Uint8Array;
}

const URL_ONLY = { url: "https://example.com/" };

const IMPORT_ID = `imp_${"0".repeat(32)}`;
const IMPORTED = { offset: 0, clicks: [{ at: "2024-05-01T12:00:00.000Z" }] };

export const ROUTES: readonly ApiRoute[] = [
  { method: "POST", path: "/links", scope: "links:write", body: URL_ONLY },
  { method: "POST", path: "/links/bulk", scope: "links:write", body: { links: [URL_ONLY] } },
  { method: "POST", path: "/links/bulk-update", scope: "links:write", body: { links: [{ id: "lnk_none" }] } },
  { method: "POST", path: "/links/bulk-delete", scope: "links:write", body: { links: [{ id: "lnk_none" }] } },
  { method: "GET", path: "/links", scope: "links:read" },
  { method: "GET", path: "/links/:id", scope: "links:read" },
  { method: "PATCH", path: "/links/:id", scope: "links:write", body: URL_ONLY },
  { method: "DELETE", path: "/links/:id", scope: "links:write" },
  { method: "GET", path: "/links/:id/revisions", scope: "links:read" },
  { method: "POST", path: "/links/:id/revisions/:revision/restore", scope: "links:write", body: {} },
  { method: "POST", path: "/links/:id/resolve", scope: "links:read", body: {} },
  { method: "POST", path: "/links/:id/backtest", scope: "stats:read", body: { routing: [] } },
  { method: "PUT", path: "/links/:id/social/image", scope: "links:write", file: RED_PNG },
  { method: "PUT", path: "/imports/:id/links/:link_id", scope: "links:write", body: IMPORTED },
  { method: "GET", path: "/imports/:id", scope: "links:write" },
  { method: "DELETE", path: "/imports/:id", scope: "links:write" },
  { method: "GET", path: "/links/:id/stats", scope: "stats:read" },
  { method: "GET", path: "/links/:id/clicks", scope: "stats:read" },
  { method: "GET", path: "/stats", scope: "stats:read" },
  { method: "GET", path: "/tags", scope: "links:read" },
  { method: "GET", path: "/clicks", scope: "stats:read" },
  { method: "POST", path: "/qr", scope: "qr:write", body: { link_id: ":id" } },
  { method: "GET", path: "/qr", scope: "qr:read" },
  { method: "GET", path: "/qr/:id", scope: "qr:read" },
  { method: "PATCH", path: "/qr/:id", scope: "qr:write", body: { name: "Poster" } },
  { method: "POST", path: "/domains", scope: "domains:write", body: { domain: "go.brand.example" } },
  { method: "GET", path: "/domains", scope: "domains:read" },
  { method: "GET", path: "/domains/:id", scope: "domains:read" },
  { method: "PATCH", path: "/domains/:id", scope: "domains:write", body: { root_url: "https://example.com/" } },
  { method: "DELETE", path: "/domains/:id", scope: "domains:write" },
  { method: "GET", path: "/me", scope: null },
  { method: "GET", path: "/events/stream", scope: "events:read" },
];

/** Routes that require a scope. */
export const SCOPED_ROUTES = ROUTES.filter((route): route is ApiRoute & { scope: Scope } => route.scope !== null);

/** Routes about one link. */
export const LINK_ROUTES = ROUTES.filter(
  ({ path, body }) => /^\/links\/:id|:link_id$/.test(path) || Object.values(body ?? {}).includes(":id"),
);

export function routeName({ method, path }: Pick<ApiRoute, "method" | "path">): string {
  return `${method} /v1${path}`;
}

/** Routes as rows of a table of tests, with their names first. */
export function namedRoutes(routes: readonly ApiRoute[]): [string, ApiRoute][] {
  return routes.map((route) => [routeName(route), route]);
}

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>;

export function routeBody({ body, file }: ApiRoute, linkId: string): Record<string, unknown> | Uint8Array | undefined {
  if (!body) return file;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, value === ":id" ? linkId : value]));
}

/** Creates the resource that a route's id stands for: the link, one of its codes, its import or a domain. */
export async function createTarget(actor: TestAccount, { path }: ApiRoute, link: Link): Promise<string> {
  if (path.startsWith("/domains/")) return (await actor.createDomain()).id;
  if (path === "/imports/:id") {
    await actor.call("PUT", `/v1/imports/${IMPORT_ID}/links/${link.id}`, IMPORTED);
    return IMPORT_ID;
  }
  return path.startsWith("/qr/") ? (await actor.createQrCode(link)).id : link.id;
}

export function routePath({ path }: Pick<ApiRoute, "path">, id: string): string {
  const ofLink = path.replace(/:id(?=.*:link_id)/, IMPORT_ID).replace(":link_id", id);
  return `/v1${ofLink.replace(":id", id).replace(":revision", "1")}`;
}

/** Sends the request of a route, with this id if the route has one. */
export function requestRoute(
  by: Send,
  route: ApiRoute,
  id: string,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return by(route.method, routePath(route, id), routeBody(route, id), headers);
}
