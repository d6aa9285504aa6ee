/** The report of `hoplink apply` on a partly applied plan. */
import { afterAll, expect, test } from "vitest";

import { applyPlan } from "../../../src/client/plan/apply.ts";
import { makePlan } from "../../../src/client/plan/plan.ts";
import { scriptedClient } from "../../support/scripted-client.ts";
import { apiError, json } from "../../support/scripted-server.ts";
import { currentLink, parsed, situation } from "./sample-links.ts";

const { server, hoplink } = await scriptedClient();

afterAll(() => server.stop());

const PROGRESS = { signal: new AbortController().signal, onProgress: () => {} };
const ofItem = (code: string) => ({ error: { code, message: `this is ${code}` } });

/** Forty links with this URL are more than one request may hold. */
const LONG = `https://example.com/${"x".repeat(8_000)}`;
const SLUGS = Array.from({ length: 40 }, (_, i) => `a${i}`);
const FILE = parsed(`links:\n${SLUGS.map((slug) => `  - { slug: ${slug}, url: "${LONG}" }\n`).join("")}`);

test("for links that take several requests, those done before a failure are reported", async () => {
  const plan = makePlan(FILE, situation(SLUGS.map((slug) => currentLink(slug))), false);
  server.willReply(
    (response, request) =>
      json(200, { results: JSON.parse(request.body).links.map(() => ({ link: {} })) })(response, request),
    apiError(500, "internal_error"),
  );
  const { changed, left, error } = await applyPlan(hoplink, plan, PROGRESS);
  const [first = 0] = server.requests.map(({ body }) => JSON.parse(body).links.length);
  expect([changed, left, server.requests.length]).toEqual([first, SLUGS.length - first, 2]);
  expect(first).toBeGreaterThan(0);
  expect(error).toMatchObject({ code: "internal_error" });
});

test("a link changed or deleted in the meantime is named with the fix", async () => {
  const file = parsed("links:\n- { slug: a, url: https://example.com/1 }\n- { slug: b, url: https://example.com/1 }");
  const plan = makePlan(file, situation([currentLink("a"), currentLink("b")]), false);
  server.willReply(json(200, { results: [ofItem("precondition_failed"), ofItem("link_not_found")] }));
  const { refused } = await applyPlan(hoplink, plan, PROGRESS);
  expect(refused.map(({ address, message }) => `${address.slug}: ${message}`)).toEqual([
    "a: the link was changed after this plan: plan again",
    "b: the link was deleted after this plan: plan again",
  ]);
});

test("a taken slug that cannot be looked up stays refused, and the request's successes are reported", async () => {
  const file = parsed("links:\n- { slug: a, url: https://example.com/ }\n- { slug: b, url: https://example.com/ }");
  const plan = makePlan(file, situation(), false);
  server.willReply(json(200, { results: [ofItem("slug_taken"), { link: {} }] }), apiError(403, "insufficient_scope"));
  const { created, left, refused, error } = await applyPlan(hoplink, plan, PROGRESS);
  expect([created, left, error]).toEqual([1, 0, undefined]);
  expect(refused).toMatchObject([{ address: { slug: "a" }, code: "slug_taken", message: "this is slug_taken" }]);
});
