/**
 * What the dashboard's pages call: the routes of `/v1` behind the session door, and what only they need. Mounted at
 * `/dashboard/api`; the pages' typed client is made from `DashboardApi`.
 */
import { Hono } from "hono";

import { CreateLink } from "../../core/contract/links.ts";
import {
  type AccountInfo,
  CreateKey,
  type DashboardConfig,
  DeleteAccount,
  type KeyInfo,
  type KeyList,
  type CreatedKey,
  type SlugCheck,
} from "../../core/contract/dashboard.ts";
import { ApiError } from "../../core/errors.ts";
import { timestamp } from "../../core/timestamp.ts";
import { issueKey, type KeyRecord, listKeys, revokeAccountKey } from "../../store/accounts/api-keys.ts";
import { closeAccount } from "../../store/accounts/closed-accounts.ts";
import { isSlugTaken } from "../../store/links/link-creation.ts";
import { wakeMaintenance } from "../../store/maintenance-client.ts";
import { configuredProviders } from "../../store/auth/oauth-providers.ts";
import { reauthenticate } from "../../store/auth/sessions.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { body, readBoundedBody, noQuery } from "../middleware/input.ts";
import { limitSignInRequest } from "../middleware/unauthenticated-limits.ts";
import { v1Routes } from "../v1.ts";
import { handleSignIn } from "./sign-in.ts";

const dashboardOnlyRoutes = new Hono<ApiEnv>()
  .get("/config", (c) => {
    const config: DashboardConfig = {
      signups: c.env.SIGNUPS === "open" ? "open" : "closed",
      providers: configuredProviders(c.env).map(({ name }) => name),
      passkeys: true,
      short_domains: c.var.hosts.shortDomains,
    };
    return c.json(config, 200);
  })
  .get("/account", access(null), noQuery, (c) => {
    const { id, email, name, plan, createdAt } = c.var.account;
    const info: AccountInfo = { id, email, name, plan, created_at: timestamp(createdAt) };
    return c.json(info, 200);
  })
  .delete("/account", access(null), body(DeleteAccount), async (c) => {
    const { account } = c.var;
    if (!(await reauthenticate(c.env, account, c.req.valid("json").password))) throw new ApiError("invalid_password");
    await closeAccount(c.env, account.id);
    c.executionCtx.waitUntil(wakeMaintenance(c.env, Date.now()));
    return c.body(null, 204);
  })
  .get("/keys", access(null), noQuery, async (c) => {
    const keys = await listKeys(c.env, c.var.account.id);
    const list: KeyList = { data: keys.map(wireKey) };
    return c.json(list, 200);
  })
  .post("/keys", access(null), body(CreateKey), async (c) => {
    const { text, record } = await issueKey(c.env, c.var.account.id, c.req.valid("json"));
    const made: CreatedKey = { ...wireKey(record), key: text };
    return c.json(made, 201);
  })
  .delete("/keys/:id", access(null), noQuery, async (c) => {
    if (!(await revokeAccountKey(c.env, c.var.account.id, c.req.param("id")))) throw new ApiError("key_not_found");
    return c.body(null, 204);
  })
  .get("/slugs/:slug", access(null), noQuery, async (c) => {
    const { hosts, caller } = c.var;
    const slug = c.req.param("slug");
    const fault = CreateLink.shape.slug.safeParse(slug).error?.issues[0]?.message ?? null;
    const taken = fault === null && (await isSlugTaken(c.env, hosts.shortDomains[caller.mode], slug));
    const check: SlugCheck = {
      slug,
      available: fault === null && !taken,
      reason: fault ?? (taken ? "is taken" : null),
    };
    return c.json(check, 200);
  });

export const dashboardRoutes = new Hono<ApiEnv>()
  .all("/auth/*", async (c) => {
    limitSignInRequest(c.req.raw.headers);
    return handleSignIn(c.env, await withBoundedBody(c.req.raw));
  })
  .route("/", dashboardOnlyRoutes)
  .route("/", v1Routes);

/** The same request, its body read: the library behind sign-in takes any length. @throws ApiError payload_too_large */
async function withBoundedBody(request: Request): Promise<Request> {
  return request.body
    ? new Request(request, { method: request.method, body: await readBoundedBody(request) })
    : request;
}

export type DashboardApi = typeof dashboardRoutes;

function wireKey({ id, name, mode, scopes, lastFour, createdAt, lastUsedAt }: KeyRecord): KeyInfo {
  return {
    id,
    name,
    mode,
    scopes: [...scopes],
    last_four: lastFour,
    created_at: timestamp(createdAt),
    last_used_at: lastUsedAt === null ? null : timestamp(lastUsedAt),
  };
}
