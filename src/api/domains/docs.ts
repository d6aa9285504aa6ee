/** Domains in the API reference. */
import { Domain, DomainPage } from "../../core/contract/domains.ts";
import { routeDoc } from "../openapi/route-doc.ts";

export const createDomainDoc = routeDoc({
  id: "createDomain",
  tag: "Domains",
  summary: "Add a domain",
  description:
    "Answers with every record to set. Several accounts may have a name pending; it belongs to the one that proves it first, for as long as its TXT record stands or nobody else has one.",
  ok: { status: 201, description: "The new domain.", schema: Domain, headers: ["Idempotent-Replayed"] },
  requestHeaders: ["Idempotency-Key"],
  errors: ["domain_taken", "domain_has_links", "quota_exceeded", "idempotency_conflict"],
});

export const listDomainsDoc = routeDoc({
  id: "listDomains",
  tag: "Domains",
  summary: "List domains",
  description: "Newest first, as they were last found. Retrieve one to have it checked.",
  ok: { status: 200, description: "A page of domains.", schema: DomainPage, headers: ["Link"] },
});

export const getDomainDoc = routeDoc({
  id: "getDomain",
  tag: "Domains",
  summary: "Retrieve a domain, checked",
  description:
    "Asks DNS when the last check began more than ten seconds ago. Else the answer is what that check found, with `Retry-After`.",
  ok: { status: 200, description: "The domain.", schema: Domain, headers: ["Retry-After"] },
});

export const updateDomainDoc = routeDoc({
  id: "updateDomain",
  tag: "Domains",
  summary: "Update a domain",
  description:
    "Where visitors of the domain go who do not ask for a link, or for one that does not exist, and, before its first link, how slugs are matched.",
  ok: { status: 200, description: "The domain as it is now.", schema: Domain },
  errors: ["domain_has_links"],
});

export const deleteDomainDoc = routeDoc({
  id: "deleteDomain",
  tag: "Domains",
  summary: "Give a domain up",
  description: "Refused while links live on it. Slugs that were used on the domain stay used.",
  ok: { status: 204, description: "Deleted." },
  errors: ["domain_in_use"],
});
