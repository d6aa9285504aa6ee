import type { BacktestData } from "../../core/backtest/backtest.ts";
import type { BacktestRequest } from "../../core/clicks/protocol/link-object-rpc.ts";
import { Backtest, BacktestLink } from "../../core/contract/backtests.ts";
import { Resolution, ResolveLink } from "../../core/contract/resolutions.ts";
import { forwardableSegments, slugPath, typedSlug } from "../../core/hosts.ts";
import { BACKTEST_DAYS } from "../../core/limits.ts";
import { routeKeys } from "../../core/links/link-snapshot.ts";
import { chooseDestination, traceRules } from "../../core/links/routing.ts";
import { withForwarded } from "../../core/links/visit-decision.ts";
import { DAY_MS, timestamp } from "../../core/time.ts";
import { simulatedSearch, simulatedVisitor } from "../../core/visitors/simulated-visitor.ts";
import { storeResponse } from "../../store/directory/idempotency.ts";
import { readBacktest } from "../../store/link-object-client.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import { createHandlers, type JsonResponse, respondJson } from "../context.ts";
import { access } from "../middleware/access.ts";
import { body, idempotent } from "../middleware/input.ts";
import { postDoc } from "../openapi/route-doc.ts";
import { rangeTooLarge, requireInOrder } from "../stats/stats.ts";
import { loadLink } from "./load-link.ts";
import { linkContentProblems } from "./wire.ts";

/** The dry run: where a simulated visitor would go, and why. It counts and stores nothing. */

const resolveLinkDoc = postDoc({
  id: "resolveLink",
  tag: "Links",
  summary: "Simulate a visit",
  description:
    "Returns the destination of the visit, the rule that matched, and why earlier rules did not match. Send `routing` to test rules before you save them. Nothing is counted or stored.",
  ok: { status: 200, description: "The routing decision.", schema: Resolution },
});

export const resolveLinkRoute = createHandlers(
  access("links:read", resolveLinkDoc),
  loadLink,
  body(ResolveLink, {
    // Without `needsPremium`: rules in a dry run redirect no one.
    problems: linkContentProblems,
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
  // A slash at the end alone is not forwarded.
  const rest = facts.path === "/" ? "" : facts.path;
  const isForwarded = () => link.forwardPath && forwardableSegments(slugPath(typedSlug(link)) + rest) !== null;
  if (rest && !isForwarded()) return { url: null, rule: null, trace: [], not_found: true };
  const visitor = simulatedVisitor(facts, Date.now());
  if (link.paused) return { url: link.fallbackUrl, rule: null, trace: [], paused: true };
  const decision = chooseDestination(link, visitor);
  if (decision.kind !== "redirect") {
    const why = decision.kind === "expired" ? { expired: true as const } : { not_open: true as const };
    return { url: link.fallbackUrl, rule: null, trace: [], ...why };
  }
  const { rule } = routeKeys(link, decision.rule < 0 ? "" : String(decision.rule));
  const url = withForwarded(link, decision.url, rest, simulatedSearch(facts));
  return { url, rule, trace: traceRules(link, visitor) };
}

/** The backtest: what other rules would have done with past clicks. It counts and stores nothing. */

const backtestLinkDoc = postDoc({
  id: "backtestLink",
  tag: "Links",
  summary: "Backtest routing rules",
  description:
    "Returns what these rules would have done with the clicks of a range: how many clicks each rule would have decided, and how many would have gone to another destination. A click is `undecided` if its rule depends on data that was not logged, such as a query parameter that no rule used at the time. Nothing is counted or stored, and the link does not change.",
  ok: { status: 200, description: "The result of the backtest.", schema: Backtest },
  errors: ["range_too_large", "too_many_reads"],
});

export const backtestLinkRoute = createHandlers(
  // The result reveals what statistics and the click log reveal.
  access("stats:read", backtestLinkDoc),
  loadLink,
  body(BacktestLink, {
    // Without `needsPremium`: rules in a backtest redirect no one.
    problems: linkContentProblems,
  }),
  (c) =>
    idempotent(c, async () => {
      const { caller, link, idempotentRequest } = c.var;
      const request = toBacktestRequest(c.req.valid("json"), link);
      requireInOrder(request);
      const result = await readBacktest(c.env, link, request);
      if (result.kind === "too_many_clicks") throw rangeTooLarge(result.from, "test rules on");
      const response: JsonResponse<Backtest, 200> = { status: 200, body: wireBacktest(request, result) };
      if (idempotentRequest) await storeResponse(c.env, caller, idempotentRequest, response);
      return respondJson(c, response);
    }),
);

function toBacktestRequest(sent: BacktestLink, link: LinkRecord): BacktestRequest {
  const to = sent.to === undefined ? null : Date.parse(sent.to);
  const from = sent.from === undefined ? (to ?? Date.now()) - BACKTEST_DAYS * DAY_MS : Date.parse(sent.from);
  return { routing: sent.routing, url: sent.url ?? link.url, from, to, includeBots: sent.include_bots ?? false };
}

function wireBacktest({ from }: BacktestRequest, result: BacktestData & { to: number }): Backtest {
  return {
    clicks: result.clicks,
    moved: result.moved,
    undecided: result.undecided,
    rules: result.rules,
    samples: result.samples.map(({ position, before, after }) => ({ seq: position + 1, before, after })),
    from: timestamp(from),
    to: timestamp(result.to),
  };
}
