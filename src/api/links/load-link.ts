/** Loads the link of a path `/links/:id`. Handlers can rely on it belonging to the caller. */
import type { Context, MiddlewareHandler } from "hono";

import { LinkId } from "../../core/contract/links.ts";
import { ApiError } from "../../core/errors.ts";
import type { Caller } from "../../store/accounts/api-keys.ts";
import { readLinkOrTombstone, type ExpectedRevisions, readLink } from "../../store/links/links.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { ApiEnv } from "../context.ts";
import { pathParam } from "../middleware/input.ts";
import { documented, type RouteDoc } from "../openapi/route-doc.ts";

const LINK_IN_PATH: RouteDoc = { params: { id: LinkId }, errors: ["link_not_found"] };

/** Runs before body and query are validated: an unknown link answers 404 whatever else is wrong. */
export const loadLink = linkLoader("id");

/** @param name  of the parameter of the path */
export function linkLoader(name: string): MiddlewareHandler<ApiEnv> {
  const load: MiddlewareHandler<ApiEnv> = async (c, next) => {
    c.set("link", await readLink(c.env, c.var.caller, pathParam(c, name)));
    await next();
  };
  return documented(load, { ...LINK_IN_PATH, params: { [name]: LinkId } });
}

/** Like `loadLink`; with `erase=true` also loads a deleted link, whose clicks can still be erased. */
export const loadDeletableLink: MiddlewareHandler<ApiEnv> = documented(async (c, next) => {
  const { caller } = c.var;
  const id = pathParam(c, "id");
  const erases = c.req.query("erase") === "true";
  c.set("link", erases ? (await readLinkOrTombstone(c.env, caller, id)).link : await readLink(c.env, caller, id));
  await next();
}, LINK_IN_PATH);

/**
 * API keys can use QR codes and streams only of links that were created through the API; sessions, of every link of
 * their account.
 * @param need  the requirement that other links do not meet, as a sentence
 * @throws ApiError link_not_api_created
 */
export function requireApiCreated(caller: Caller, link: LinkRecord, need: string): void {
  if (caller.origin !== "api" || link.origin === "api") return;
  throw new ApiError("link_not_api_created", `This link was created in the dashboard. ${need}`, { param: "link_id" });
}

/** The revisions that `If-Match` names. A weak or foreign tag matches none: strong comparison (RFC 9110, 13.1.1). */
export function expectedRevisions(c: Context<ApiEnv>): ExpectedRevisions {
  const header = c.req.header("If-Match")?.trim();
  if (header === undefined || header === "*") return null;
  return header.split(",").flatMap((tag) => {
    const revision = /^"([1-9][0-9]{0,14})"$/.exec(tag.trim())?.[1];
    return revision === undefined ? [] : [Number(revision)];
  });
}
