/** Links that a former holder made on a domain of the caller's: list, disable, take over. */
import type { Context, Next } from "hono";

import { ListInheritedLinksQuery, SlugInPath, TakeOverLink } from "../../core/contract/inherited-links.ts";
import { ApiError } from "../../core/errors.ts";
import { writesRules } from "../../core/links/link-validation.ts";
import type { DomainRecord } from "../../store/domains/domain-rows.ts";
import { disableInheritedLink, listInheritedLinks, requireLinkAt } from "../../store/links/inherited-links.ts";
import { takeOverLink } from "../../store/links/taken-over-links.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { loadDomain } from "../domains.ts";
import { respondJson, respondPage } from "../json-response.ts";
import { linkContentProblems } from "../links/link-problems.ts";
import { linkResponse, toNewLink } from "../links/wire.ts";
import { access } from "../middleware/access.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, noQuery, pathParam, query } from "../middleware/input.ts";
import { documented } from "../openapi/route-doc.ts";
import { disableInheritedLinkDoc, listInheritedLinksDoc, takeOverLinkDoc } from "./docs.ts";
import { restoreLinkResponse, storedLinkOf } from "./stored-link.ts";
import { wireInheritedLink, wireInheritedLinkPage } from "./wire.ts";

/** Runs before body and query are checked. Of a domain of others nothing is told: the routes refuse it afterwards. */
const requireAddress = documented(
  async (c: Context<ApiEnv>, next: Next) => {
    const { domain, verifiedAt } = c.var.domain;
    if (verifiedAt !== null) await requireLinkAt(c.env, c.var.caller, domain, pathParam(c, "slug"));
    await next();
  },
  { params: { slug: SlugInPath } },
);

export const listInheritedLinksRoute = createHandlers(
  access("domains:read"),
  listInheritedLinksDoc,
  loadDomain,
  query(ListInheritedLinksQuery),
  async (c) => {
    const { caller, domain, hosts } = c.var;
    requireVerifiedDomain(domain);
    const { links, nextCursor } = await listInheritedLinks(c.env, caller, domain.domain, c.req.valid("query"));
    return respondPage(c, wireInheritedLinkPage(links, nextCursor, hosts));
  },
);

export const disableInheritedLinkRoute = createHandlers(
  access("domains:write"),
  disableInheritedLinkDoc,
  loadDomain,
  requireAddress,
  noQuery,
  async (c) => {
    const { caller, domain, hosts } = c.var;
    requireVerifiedDomain(domain);
    const slug = pathParam(c, "slug");
    const link = await disableInheritedLink(c.env, c.executionCtx, caller, domain.domain, slug);
    return respondJson(c, { status: 200, body: wireInheritedLink(link, hosts) });
  },
);

export const takeOverLinkRoute = createHandlers(
  access("links:write"),
  takeOverLinkDoc,
  loadDomain,
  requireAddress,
  body(TakeOverLink, {
    needsPremium: writesRules,
    restoreResponse: restoreLinkResponse,
    problems: (sent, context, env) => linkContentProblems(sent, context, env, Date.now()),
  }),
  (c) =>
    idempotent(c, async () => {
      const { caller, domain, hosts, idempotentRequest } = c.var;
      requireVerifiedDomain(domain);
      const sent = { ...c.req.valid("json"), domain: domain.domain };
      const wanted = { ...toNewLink(sent, c.var), slug: pathParam(c, "slug") };
      const link = await takeOverLink(c.env, c.executionCtx, caller, wanted, idempotentRequest, storedLinkOf);
      return respondJson(c, linkResponse(link, hosts, 201));
    }),
);

/** @throws ApiError domain_not_verified */
function requireVerifiedDomain({ domain, verifiedAt }: DomainRecord): void {
  if (verifiedAt !== null) return;
  throw new ApiError("domain_not_verified", `${domain} is not verified: set its records, then retrieve it`);
}
