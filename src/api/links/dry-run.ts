/** The dry run: where a simulated visitor would go, and why. Counts nothing and stores no rules. */
import { Resolution, ResolveLink } from "../../core/contract/resolutions.ts";
import { withVisitorQuery } from "../../core/links/visit-decision.ts";
import { routeKeys } from "../../core/links/link-snapshot.ts";
import { chooseDestination, traceRules } from "../../core/links/routing.ts";
import { simulatedSearch, simulatedVisitor } from "../../core/visitors/simulated-visitor.ts";
import { storeResponse } from "../../store/directory/idempotency.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { createHandlers } from "../context.ts";
import { type JsonResponse, respondJson } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { idempotent } from "../middleware/idempotency.ts";
import { body } from "../middleware/input.ts";
import { routeDoc } from "../openapi/route-doc.ts";
import { linkContentProblems } from "./wire.ts";
import { loadLink } from "./load-link.ts";

const resolveLinkDoc = routeDoc({
  id: "resolveLink",
  tag: "Links",
  summary: "Try a pretend visitor",
  description:
    "Where this visitor would go, by which rule, and why the rules before did not match. With `routing`, rules are tried before they are saved. Nothing is counted or stored.",
  ok: { status: 200, description: "The decision.", schema: Resolution, headers: ["Idempotent-Replayed"] },
  requestHeaders: ["Idempotency-Key"],
  errors: ["quota_exceeded", "idempotency_conflict"],
});

export const resolveLinkRoute = createHandlers(
  access("links:read"),
  resolveLinkDoc,
  loadLink,
  body(ResolveLink, {
    // Without `needsPremium`: rules that are only tried redirect nobody.
    problems: (sent, context, env) => linkContentProblems(sent, context, env, null),
  }),
  (c) =>
    idempotent(c, async () => {
      const { caller, link, idempotentRequest } = c.var;
      const resolution = resolveVisit(link, c.req.valid("json"));
      const response: JsonResponse<Resolution, 200> = { status: 200, body: resolution };
      if (idempotentRequest) await storeResponse(c.env, caller, idempotentRequest, response);
      return respondJson(c, response);
    }),
);

function resolveVisit(stored: LinkRecord, { routing = stored.routing, ...facts }: ResolveLink): Resolution {
  const link = { ...stored, routing };
  const visitor = simulatedVisitor(facts, Date.now());
  const decision = chooseDestination(link, visitor);
  if (decision.kind !== "redirect") {
    const why = decision.kind === "expired" ? { expired: true as const } : { not_open: true as const };
    return { url: link.fallbackUrl, rule: null, trace: [], ...why };
  }
  const { rule } = routeKeys(link, decision.rule < 0 ? "" : String(decision.rule));
  const url = link.forwardQuery ? withVisitorQuery(decision.url, simulatedSearch(facts)) : decision.url;
  return { url, rule, trace: traceRules(link, visitor) };
}
