/**
 * What the dashboard's pages call: the routes of `/v1` behind the session door, and what only they need. Mounted at
 * `/dashboard/api`; the pages' typed client is made from `DashboardApi`.
 */
import { Hono } from "hono";

import { CreateLink } from "../core/contract.ts";
import {
  type AccountInfo,
  CreateKey,
  type DashboardConfig,
  DeleteAccount,
  type KeyInfo,
  type KeyList,
  type NewKey,
  type SlugCheck,
} from "../core/dashboard-contract.ts";
import { ApiError } from "../core/errors.ts";
import { timestamp } from "../core/timestamp.ts";
import { issueKey, type KeyRecord, listKeys, revokeOwnKey } from "../store/accounts.ts";
import { closeAccount } from "../store/closed-accounts.ts";
import { isSlugTaken } from "../store/links.ts";
import { wakeMaintenance } from "../store/maintenance.ts";
import { providersOf } from "../store/providers.ts";
import { answerSignIn, provesToBe } from "../store/sessions.ts";
import { access } from "./access.ts";
import type { Api } from "./context.ts";
import { body, boundedBody, noQuery } from "./input.ts";
import { countSignInRequest } from "./network-limits.ts";
import { v1 } from "./v1.ts";

const own = new Hono<Api>()
  .get("/config", (c) => {
    const config: DashboardConfig = {
      signups: c.env.SIGNUPS === "open" ? "open" : "closed",
      providers: providersOf(c.env).map(({ name }) => name),
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
    if (!(await provesToBe(c.env, account, c.req.valid("json").password))) throw new ApiError("invalid_password");
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
    const made: NewKey = { ...wireKey(record), key: text };
    return c.json(made, 201);
  })
  .delete("/keys/:id", access(null), noQuery, async (c) => {
    if (!(await revokeOwnKey(c.env, c.var.account.id, c.req.param("id")))) throw new ApiError("key_not_found");
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

export const dashboard = new Hono<Api>()
  .all("/auth/*", async (c) => {
    countSignInRequest(c.req.raw.headers);
    return answerSignIn(c.env, await bounded(c.req.raw));
  })
  .route("/", own)
  .route("/", v1);

/** The same request, its body read: the library behind sign-in takes any length. @throws ApiError payload_too_large */
async function bounded(request: Request): Promise<Request> {
  return request.body ? new Request(request, { method: request.method, body: await boundedBody(request) }) : request;
}

export type DashboardApi = typeof dashboard;

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
