/** Short domains of the caller: add, list, retrieve and check, choose landing pages, give up. */
import { CreateDomain, type Domain, ListDomainsQuery, UpdateDomain } from "../../core/contract/domains.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import { checkDomainIfDue, cnameTarget, findLapsedHolderId } from "../../store/domains/domain-checks.ts";
import {
  caseOfNewDomain,
  createDomain,
  deleteDomain,
  listDomains,
  newDomainRecord,
  updateDomain,
} from "../../store/domains/domains.ts";
import { releaseHostname } from "../../store/domains/hostname-releases.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson, respondPage } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body, noQuery, query } from "../middleware/input.ts";
import { createDomainDoc, deleteDomainDoc, getDomainDoc, listDomainsDoc, updateDomainDoc } from "./docs.ts";
import { domainChangeProblems, newDomainProblems } from "./domain-problems.ts";
import { loadDomain } from "./load-domain.ts";
import { toDomainChanges, wireDomain, wireDomainPage } from "./wire.ts";

export const createDomainRoute = createHandlers(
  access("domains:write"),
  createDomainDoc,
  body(CreateDomain, { problems: newDomainProblems }),
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
  access("domains:read"),
  listDomainsDoc,
  query(ListDomainsQuery),
  async (c) => {
    const { domains, hasMore } = await listDomains(c.env, c.var.caller, c.req.valid("query"));
    return respondPage(c, wireDomainPage(domains, hasMore, c.env, c.var.hosts));
  },
);

export const getDomainRoute = createHandlers(access("domains:read"), getDomainDoc, loadDomain, noQuery, async (c) => {
  const { caller, hosts } = c.var;
  const { domain, waitMs } = await checkDomainIfDue(c.env, caller, c.var.domain.id, cnameTarget(c.env, hosts));
  const retryAfter = waitMs === null ? {} : { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
  return respondJson(c, { status: 200, body: wireDomain(domain, c.env, hosts), headers: retryAfter });
});

export const updateDomainRoute = createHandlers(
  access("domains:write"),
  updateDomainDoc,
  loadDomain,
  body(UpdateDomain, { problems: domainChangeProblems }),
  async (c) => {
    const changes = toDomainChanges(c.req.valid("json"));
    const domain = await updateDomain(c.env, c.var.caller, c.var.domain.id, changes);
    return respondJson(c, { status: 200, body: wireDomain(domain, c.env, c.var.hosts) });
  },
);

export const deleteDomainRoute = createHandlers(
  access("domains:write"),
  deleteDomainDoc,
  loadDomain,
  noQuery,
  async (c) => {
    const { domain, customHostnameId } = await deleteDomain(c.env, c.var.caller, c.var.domain.id);
    // Awaited, so that it cannot delete the hostname of an account that adds the name next. It never throws: the
    // domain is given up here whatever Cloudflare answers.
    await releaseHostname(c.env, domain, customHostnameId);
    return c.body(null, 204);
  },
);
