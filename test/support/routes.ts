/** Every route of the API with the scope it asks for: what the shared refusals are tried on. */
import type { Scope } from "../../src/core/contract.ts";
import type { Reply } from "./actors.ts";

export interface Route {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/v1`, as the router names it. */
  path: string;
  scope: Scope;
  /** A body that is right in itself. */
  body?: Record<string, unknown>;
}

const URL_ONLY = { url: "https://example.com/" };

export const ROUTES: readonly Route[] = [
  { method: "POST", path: "/links", scope: "links:write", body: URL_ONLY },
  { method: "POST", path: "/links/bulk", scope: "links:write", body: { links: [URL_ONLY] } },
  { method: "GET", path: "/links", scope: "links:read" },
  { method: "GET", path: "/links/:id", scope: "links:read" },
  { method: "PATCH", path: "/links/:id", scope: "links:write", body: URL_ONLY },
  { method: "DELETE", path: "/links/:id", scope: "links:write" },
  { method: "POST", path: "/links/:id/resolve", scope: "links:read", body: {} },
  { method: "GET", path: "/links/:id/stats", scope: "stats:read" },
  { method: "GET", path: "/links/:id/clicks", scope: "stats:read" },
];

export const LINK_ROUTES = ROUTES.filter(({ path }) => path.startsWith("/links/:id"));

export function nameOf({ method, path }: Pick<Route, "method" | "path">): string {
  return `${method} /v1${path}`;
}

/** Routes as rows of a table of tests, with their names first. */
export function named(routes: readonly Route[]): [string, Route][] {
  return routes.map((route) => [nameOf(route), route]);
}

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

/** Sends the request of a route, about the link with this id where the route is about one. */
export function request(by: Send, route: Route, id: string, headers: Record<string, string> = {}): Promise<Reply> {
  return by(route.method, `/v1${route.path.replace(":id", id)}`, route.body, headers);
}
