/** Short domains of the caller: add, list, retrieve and check, choose landing pages, give up (spec 1.8, 2.1). */
import { Hono, type MiddlewareHandler } from "hono";

import {
  CreateDomain,
  Domain,
  DomainId,
  DomainPage,
  ListDomainsQuery,
  UpdateDomain,
} from "../../core/contract/domains.ts";
import { isServiceHost, normalizedDomain, VERIFY_RECORD_PREFIX } from "../../core/domains/domain-name.ts";
import { type Finding, NOT_CHECKED } from "../../core/domains/domain-verification.ts";
import type { Problem } from "../../core/errors.ts";
import { landingPageProblems, candidateDomains } from "../../core/links/link-validation.ts";
import { timestamp } from "../../core/timestamp.ts";
import { areCustomHostnamesEnabled } from "../../store/remote/custom-hostnames.ts";
import { cnameTarget, checkDomainIfDue, findLapsedHolderId } from "../../store/domains/domain-checks.ts";
import {
  createDomain,
  deleteDomain,
  type DomainChanges,
  listDomains,
  newDomainRecord,
  readDomain,
  updateDomain,
} from "../../store/domains/domains.ts";
import { type DomainRecord } from "../../store/domains/domain-rows.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { releaseHostname } from "../../store/domains/hostname-releases.ts";
import { access } from "../middleware/access.ts";
import type { ApiEnv } from "../context.ts";
import { routeDoc, documented } from "../openapi/route-doc.ts";
import { type RequestContext, body, noQuery, query } from "../middleware/input.ts";
import { idempotent, type JsonResponse, respondJson } from "../middleware/idempotency.ts";

/** For the routes below `/domains/:id`: what is not the caller's is not there, whatever else is wrong. */
export const loadDomain: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    c.set("domain", await readDomain(c.env, c.var.caller, c.req.param("id") ?? ""));
    await next();
  },
  { params: { id: DomainId }, errors: ["domain_not_found"] },
);

export const domainRoutes = new Hono<ApiEnv>()
  .post(
    "/domains",
    access("domains:write"),
    routeDoc({
      id: "createDomain",
      tag: "Domains",
      summary: "Add a domain",
      description:
        "Answers with every record to set. Several accounts may have a name pending; it belongs to the one that proves it first, for as long as its TXT record stands or nobody else has one.",
      ok: { status: 201, description: "The new domain.", schema: Domain, headers: ["Idempotent-Replayed"] },
      requestHeaders: ["Idempotency-Key"],
      errors: ["domain_taken", "quota_exceeded", "idempotency_conflict"],
    }),
    body(CreateDomain, { problems: domainNameProblems }),
    (c) =>
      idempotent(c, async () => {
        const domain = newDomainRecord(normalizedDomain(c.req.valid("json").domain));
        const answer: JsonResponse<Domain, 201> = { status: 201, headers: {}, body: wireDomain(domain, c.env) };
        const lapsedId = await findLapsedHolderId(c.env, c.var.caller, domain.domain);
        await createDomain(c.env, c.var.caller, domain, lapsedId, c.var.idempotentRequest, answer);
        return respondJson(c, answer);
      }),
  )
  .get(
    "/domains",
    access("domains:read"),
    routeDoc({
      id: "listDomains",
      tag: "Domains",
      summary: "List domains",
      description: "Newest first, as they were last found. Retrieve one to have it checked.",
      ok: { status: 200, description: "A page of domains.", schema: DomainPage },
    }),
    query(ListDomainsQuery),
    async (c) => {
      const { domains: listed, hasMore } = await listDomains(c.env, c.var.caller, c.req.valid("query"));
      return c.json({
        data: listed.map((domain) => wireDomain(domain, c.env)),
        has_more: hasMore,
        next_cursor: (hasMore && listed.at(-1)?.id) || null,
      });
    },
  )
  .get(
    "/domains/:id",
    access("domains:read"),
    routeDoc({
      id: "getDomain",
      tag: "Domains",
      summary: "Retrieve a domain, checked",
      description:
        "Asks DNS when the last check began more than ten seconds ago. Else the answer is what that check found, with `Retry-After`.",
      ok: { status: 200, description: "The domain.", schema: Domain, headers: ["Retry-After"] },
    }),
    loadDomain,
    noQuery,
    async (c) => {
      const { domain, waitMs } = await checkDomainIfDue(c.env, c.var.caller, c.req.param("id"));
      if (waitMs !== null) c.header("Retry-After", String(Math.max(1, Math.ceil(waitMs / 1_000))));
      return c.json(wireDomain(domain, c.env));
    },
  )
  .patch(
    "/domains/:id",
    access("domains:write"),
    routeDoc({
      id: "updateDomain",
      tag: "Domains",
      summary: "Choose landing pages",
      description: "Where visitors of the domain go who do not ask for a link, or for one that does not exist.",
      ok: { status: 200, description: "The domain as it is now.", schema: Domain },
    }),
    loadDomain,
    body(UpdateDomain, {
      problems: async (sent, { hosts, caller }, env) =>
        landingPageProblems(sent, hosts, await findKnownDomains(env, caller, candidateDomains([sent]))),
    }),
    async (c) => {
      const changes = changesOf(c.req.valid("json"));
      return c.json(wireDomain(await updateDomain(c.env, c.var.caller, c.req.param("id"), changes), c.env));
    },
  )
  .delete(
    "/domains/:id",
    access("domains:write"),
    routeDoc({
      id: "deleteDomain",
      tag: "Domains",
      summary: "Give a domain up",
      description: "Refused while links live on it. Slugs that were used on the domain stay used.",
      ok: { status: 204, description: "Deleted." },
      errors: ["domain_in_use"],
    }),
    loadDomain,
    noQuery,
    async (c) => {
      const { domain, customHostnameId } = await deleteDomain(c.env, c.var.caller, c.req.param("id"));
      // Waited for, lest it come after whoever adds the name next. Whatever Cloudflare says, the domain is given up here.
      await releaseHostname(c.env, domain, customHostnameId);
      return c.body(null, 204);
    },
  );

/** What only the configuration and the Public Suffix List know of a name. The schema has told everything else. */
async function domainNameProblems(sent: unknown, { hosts }: RequestContext, env: Env): Promise<Problem[]> {
  // The name alone: what else is in the body is judged for itself.
  const valid = CreateDomain.loose().safeParse(sent);
  if (!valid.success) return [];
  const domain = normalizedDomain(valid.data.domain);
  const problem = (words: string) => [{ path: "domain", code: "invalid_value", message: `domain ${words}` }];
  if (isServiceHost(domain, hosts, [new URL(env.CDN_URL).hostname, cnameTarget(env)])) {
    return problem("must not be one of this service's own hosts or lie below one");
  }
  const { isPublicSuffix } = await import("../../core/domains/public-suffix.ts");
  if (isPublicSuffix(domain)) return problem("must not be a public suffix, below which anybody may register");
  return [];
}

function changesOf(sent: UpdateDomain): DomainChanges {
  return {
    ...(sent.root_url === undefined ? {} : { rootUrl: sent.root_url }),
    ...(sent.not_found_url === undefined ? {} : { notFoundUrl: sent.not_found_url }),
  };
}

function wireDomain(domain: DomainRecord, env: Env): Domain {
  const { cname, txt, certificate = NOT_CHECKED } = domain.findings;
  const name = domain.domain;
  return {
    id: domain.id,
    domain: name,
    status: domain.status,
    records: [
      wireRecord("CNAME", name, cnameTarget(env), cname),
      wireRecord("TXT", VERIFY_RECORD_PREFIX + name, domain.token, txt),
      ...(areCustomHostnamesEnabled(env) ? [wireRecord("CERTIFICATE", name, null, certificate)] : []),
    ],
    root_url: domain.rootUrl,
    not_found_url: domain.notFoundUrl,
    checked_at: domain.checkedAt === null ? null : timestamp(domain.checkedAt),
    created_at: timestamp(domain.createdAt),
  };
}

type WireRecord = Domain["records"][number];

function wireRecord(type: WireRecord["type"], name: string, value: string | null, finding: Finding): WireRecord {
  return { type, name, value, status: finding.status, reason: finding.reason };
}
