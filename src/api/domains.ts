/** The caller's short domains: add, list, retrieve and check, set default redirects, delete. */
import type { MiddlewareHandler } from "hono";

import {
  CreateDomain,
  Domain,
  DomainId,
  DomainPage,
  ListDomainsQuery,
  PageDesignIn,
  UpdateDomain,
} from "../core/contract/domains.ts";
import { isServiceHost, normalizedDomain, VERIFY_RECORD_PREFIX } from "../core/domains/domain-name.ts";
import { type Finding, NOT_CHECKED } from "../core/domains/domain-verification.ts";
import type { Problem } from "../core/errors.ts";
import { cdnUrl } from "../core/deployment/settings.ts";
import { DOMAIN_BODY_MAX_BYTES } from "../core/limits.ts";
import type { Hosts } from "../core/hosts.ts";
import { candidateDomains, defaultRedirectProblems } from "../core/links/link-validation.ts";
import { timestamp, timestampOrNull } from "../core/time.ts";
import { checkDomainIfDue, cnameTarget, findLapsedHolderId } from "../store/domains/domain-checks.ts";
import type { DomainChanges, DomainRecord } from "../store/domains/domain-rows.ts";
import {
  caseOfNewDomain,
  createDomain,
  deleteDomain,
  listDomains,
  newDomainRecord,
  readDomain,
  readPageDesign,
  updateDomain,
  writePageDesign,
} from "../store/domains/domains.ts";
import { areCustomHostnamesEnabled, releaseHostname } from "../store/remote/custom-hostnames.ts";
import { findKnownDomains } from "../store/domains/known-domains.ts";
import { body, idempotent, noQuery, pathParam, query, type RequestContext, sentMembers } from "./middleware/input.ts";
import { type ApiEnv, createHandlers, type JsonResponse, respondJson, respondPage, wirePage } from "./context.ts";
import { access } from "./middleware/access.ts";
import { documented, postDoc, type RouteDoc } from "./openapi/route-doc.ts";

const createDomainDoc = postDoc({
  id: "createDomain",
  tag: "Domains",
  summary: "Add a domain",
  description:
    "Returns all DNS records to set. Several accounts can have the same domain pending. It belongs to the first account that verifies it, as long as the account's TXT record exists or no other account has one.",
  ok: { status: 201, description: "The created domain.", schema: Domain },
  errors: ["domain_taken", "domain_has_links"],
});

const listDomainsDoc: RouteDoc = {
  id: "listDomains",
  tag: "Domains",
  summary: "List domains",
  description: "Returns domains, newest first, with the results of their last check. To check a domain, retrieve it.",
  ok: { status: 200, description: "A page of domains.", schema: DomainPage, headers: ["Link"] },
};

const getDomainDoc: RouteDoc = {
  id: "getDomain",
  tag: "Domains",
  summary: "Retrieve a domain",
  description:
    "Checks DNS if the last check began more than ten seconds ago. Otherwise, returns the result of that check, with `Retry-After`.",
  ok: { status: 200, description: "The domain.", schema: Domain, headers: ["Retry-After"] },
};

const updateDomainDoc: RouteDoc = {
  id: "updateDomain",
  tag: "Domains",
  summary: "Update a domain",
  description: `Sets where visitors go who open the bare domain, an unknown slug or an expired link, and the files for apps. Before the domain's first link, you can also change how slugs are matched. The body may have ${DOMAIN_BODY_MAX_BYTES / 1024} KiB.`,
  ok: { status: 200, description: "The updated domain.", schema: Domain },
  errors: ["domain_has_links", "quota_exceeded"],
};

const deleteDomainDoc: RouteDoc = {
  id: "deleteDomain",
  tag: "Domains",
  summary: "Delete a domain",
  description: "Fails while the domain has links. Delete them first. Slugs that were used on the domain remain taken.",
  ok: { status: 204, description: "The domain was deleted." },
  errors: ["domain_in_use"],
};

/** Runs before body and query are validated: an unknown domain answers 404 whatever else is wrong. */
const loadDomain: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    c.set("domain", await readDomain(c.env, c.var.caller, pathParam(c, "id")));
    await next();
  },
  { params: { id: DomainId }, errors: ["domain_not_found"] },
);

/** Its settings can only be changed later. */
const NEW_DOMAIN = Domain.omit({
  root_url: true,
  not_found_url: true,
  expired_url: true,
  peek: true,
  well_known: true,
});

export const createDomainRoute = createHandlers(
  access("domains:write", createDomainDoc),
  body(CreateDomain, { resource: NEW_DOMAIN, problems: newDomainProblems }),
  (c) =>
    idempotent(c, async () => {
      const { caller, hosts, idempotentRequest } = c.var;
      const { domain: sent, case_sensitive } = c.req.valid("json");
      const name = normalizedDomain(sent);
      const domain = newDomainRecord(name, await caseOfNewDomain(c.env, caller, name, case_sensitive));
      const location = `/domains/${domain.id}`;
      const response: JsonResponse<Domain, 201> = { status: 201, body: wireDomain(domain, c.env, hosts), location };
      const lapsedId = await findLapsedHolderId(c.env, caller, domain.domain);
      await createDomain(c.env, caller, domain, lapsedId, idempotentRequest, response);
      return respondJson(c, response);
    }),
);

export const listDomainsRoute = createHandlers(
  access("domains:read", listDomainsDoc),
  query(ListDomainsQuery),
  async (c) => {
    const { items, nextCursor } = await listDomains(c.env, c.var.caller, c.req.valid("query"));
    const data = items.map((domain) => wireDomain(domain, c.env, c.var.hosts));
    return respondPage(c, wirePage(data, nextCursor) satisfies DomainPage);
  },
);

export const getDomainRoute = createHandlers(access("domains:read", getDomainDoc), loadDomain, noQuery, async (c) => {
  const { caller, hosts } = c.var;
  const { domain, waitMs } = await checkDomainIfDue(c.env, caller, c.var.domain.id, cnameTarget(c.env, hosts));
  const retryAfter = waitMs === null ? {} : { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
  return respondJson(c, { status: 200, body: wireDomain(domain, c.env, hosts), headers: retryAfter });
});

export const updateDomainRoute = createHandlers(
  access("domains:write", updateDomainDoc),
  loadDomain,
  body(UpdateDomain, { resource: Domain, problems: domainChangeProblems, maxBytes: DOMAIN_BODY_MAX_BYTES }),
  async (c) => {
    const sent = c.req.valid("json");
    const changes = sentMembers<DomainChanges>({
      rootUrl: sent.root_url,
      notFoundUrl: sent.not_found_url,
      expiredUrl: sent.expired_url,
      caseSensitive: sent.case_sensitive,
      peek: sent.peek,
      wellKnown: sent.well_known && Object.keys(sent.well_known).length === 0 ? null : sent.well_known,
    });
    const domain = await updateDomain(c.env, c.var.caller, c.var.domain.id, changes);
    return respondJson(c, { status: 200, body: wireDomain(domain, c.env, c.var.hosts) });
  },
);

export const deleteDomainRoute = createHandlers(
  access("domains:write", deleteDomainDoc),
  loadDomain,
  noQuery,
  async (c) => {
    const { domain, customHostnameId } = await deleteDomain(c.env, c.var.caller, c.var.domain.id);
    // Awaited, so that it cannot delete the hostname of an account that adds the name next. It never throws: the domain
    // is deleted here whatever Cloudflare responds.
    await releaseHostname(c.env, domain, customHostnameId);
    return c.body(null, 204);
  },
);

/** Only in the dashboard: how the pages look that visitors of a domain see. */
export const getPageDesignRoute = createHandlers(access(null), noQuery, async (c) => {
  const body = await readPageDesign(c.env, c.var.caller, pathParam(c, "id"));
  return respondJson(c, { status: 200, body });
});

export const setPageDesignRoute = createHandlers(access(null), body(PageDesignIn), async (c) => {
  const page = c.req.valid("json");
  await writePageDesign(c.env, c.var.caller, pathParam(c, "id"), page);
  return respondJson(c, { status: 200, body: page });
});

/** Problems with a domain that is the service's own host, a subdomain of one, or a public suffix. */
async function newDomainProblems(sent: unknown, { hosts }: RequestContext, env: Env): Promise<Problem[]> {
  // The name is checked even if the rest of the body is invalid, so that all problems are reported together.
  const valid = CreateDomain.pick({ domain: true }).loose().safeParse(sent);
  if (!valid.success) return [];
  const domain = normalizedDomain(valid.data.domain);
  const problem = (words: string) => [{ path: "domain", code: "invalid_value", message: `domain ${words}` }];
  if (isServiceHost(domain, hosts, [new URL(cdnUrl(env, hosts)).hostname, cnameTarget(env, hosts)])) {
    return problem("must not be one of this service's own hosts or a subdomain of one");
  }
  const { isPublicSuffix } = await import("../core/domains/public-suffix.ts");
  if (isPublicSuffix(domain)) return problem("must not be a public suffix, under which anyone can register names");
  return [];
}

/** Problems of default redirects that would lead back to this service. */
async function domainChangeProblems(sent: unknown, { hosts, caller }: RequestContext, env: Env): Promise<Problem[]> {
  return defaultRedirectProblems(sent, hosts, await findKnownDomains(env, caller, candidateDomains([sent])));
}

function wireDomain(domain: DomainRecord, env: Env, hosts: Hosts): Domain {
  const { cname, txt, certificate = NOT_CHECKED } = domain.findings;
  const name = domain.domain;
  return {
    id: domain.id,
    domain: name,
    status: domain.status,
    records: [
      wireRecord("CNAME", name, cnameTarget(env, hosts), cname),
      wireRecord("TXT", VERIFY_RECORD_PREFIX + name, domain.token, txt),
      ...(areCustomHostnamesEnabled(env) ? [wireRecord("CERTIFICATE", name, null, certificate)] : []),
    ],
    root_url: domain.rootUrl,
    not_found_url: domain.notFoundUrl,
    expired_url: domain.expiredUrl,
    checked_at: timestampOrNull(domain.checkedAt),
    created_at: timestamp(domain.createdAt),
    ...(domain.caseSensitive ? { case_sensitive: true } : {}),
    ...(domain.peek ? {} : { peek: false }),
    ...(domain.wellKnown ? { well_known: domain.wellKnown } : {}),
  };
}

type WireRecord = Domain["records"][number];

function wireRecord(type: WireRecord["type"], name: string, value: string | null, finding: Finding): WireRecord {
  return { type, name, value, status: finding.status, reason: finding.reason };
}
