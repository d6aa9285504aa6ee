/**
 * How many calls each kind of request and job makes. Workers' Free plan allows 50 an invocation, queries included; a batch
 * of statements is one. The service counts as it runs in its object.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";

import type { Link } from "../../src/core/contract/links.ts";
import type { QrCode } from "../../src/core/contract/qr-codes.ts";
import { runDaily, runMaintenance, wakeIfDue } from "../../src/maintenance/run-maintenance.ts";
import { closeAccount } from "../../src/store/accounts/closed-accounts.ts";
import worker from "../../src/worker.ts";
import { newEmail, PASSWORD, preloadSignIn, SIGN_IN_LOAD_TIMEOUT_MS } from "../support/browser-session.ts";
import { type Calls, countCalls } from "../support/counted-calls.ts";
import { BASE_URL, premiumAccount, type TestAccount } from "../support/test-accounts.ts";

const CALLS_MAX = 50;

let ann: TestAccount;
let link: Link;
let code: QrCode;

beforeAll(async () => {
  await preloadSignIn();
  ann = await premiumAccount();
  link = await ann.createLink();
  code = await ann.createQrCode(link);
  for (let i = 0; i < 99; i++) await ann.createLink();
}, SIGN_IN_LOAD_TIMEOUT_MS);

async function callsOf(url: string, init: RequestInit = {}, plan = "paid"): Promise<Calls & { status: number }> {
  const { env: watched, counted } = countCalls({ ...env, WORKERS_PLAN: plan } as unknown as Env);
  const ctx = createExecutionContext();
  const request = new Request(url, { redirect: "manual", ...init }) as Parameters<typeof worker.fetch>[0];
  const response = await worker.fetch(request, watched, ctx);
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) await response.body?.cancel();
  else await response.arrayBuffer();
  await waitOnExecutionContext(ctx);
  return { status: response.status, ...counted };
}

const asAnn = (method: string, body?: unknown): RequestInit => ({
  method,
  headers: { Authorization: `Bearer ${ann.key}`, "Content-Type": "application/json" },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

const ids = async () => {
  const page = (await ann.call("GET", "/v1/links?limit=100")).body as { data: Link[] };
  return page.data.map(({ id }) => id);
};

const BULK = { links: Array.from({ length: 100 }, () => ({ url: "https://example.com/" })) };

type Kind = [name: string, send: () => Promise<Calls & { status: number }>];

const KINDS: Kind[] = [
  ["a redirect", () => callsOf(link.short_url)],
  ["an unknown slug", () => callsOf(new URL(`/none-${crypto.randomUUID()}`, link.short_url).href)],
  ["POST /v1/links", () => callsOf(`${BASE_URL}/v1/links`, asAnn("POST", { url: "https://example.com/" }))],
  ["GET /v1/links", () => callsOf(`${BASE_URL}/v1/links?limit=100`, asAnn("GET"))],
  ["PATCH /v1/links/{id}", () => callsOf(`${BASE_URL}/v1/links/${link.id}`, asAnn("PATCH", { title: "changed" }))],
  ["GET /v1/links/{id}/stats", () => callsOf(`${BASE_URL}/v1/links/${link.id}/stats`, asAnn("GET"))],
  ["POST /v1/qr", () => callsOf(`${BASE_URL}/v1/qr`, asAnn("POST", { link_id: link.id }))],
  ["GET /v1/qr/{id}", () => callsOf(`${BASE_URL}/v1/qr/${code.id}`, asAnn("GET"))],
  ["an image", () => callsOf(code.url)],
  ["GET /v1/events/stream", () => callsOf(`${BASE_URL}/v1/events/stream`, asAnn("GET"), "free")],
  ["bulk creation of 100", () => callsOf(`${BASE_URL}/v1/links/bulk`, asAnn("POST", BULK))],
  ["a page of the dashboard", () => callsOf(`${BASE_URL}/dashboard/links`)],
];

describe("calls of a request", () => {
  test.each(KINDS)("%s makes at most 50", async (_, send) => {
    const { status, calls } = await send();
    expect([200, 201, 302, 404]).toContain(status);
    expect(calls).toBeLessThanOrEqual(CALLS_MAX);
  });

  test("signing up and in makes at most 50", async () => {
    const account = { email: newEmail(), name: "Somebody", password: PASSWORD };
    for (const path of ["sign-up", "sign-in"]) {
      const { status, calls } = await callsOf(`${BASE_URL}/dashboard/api/auth/${path}/email`, {
        method: "POST",
        headers: { Origin: BASE_URL, "Content-Type": "application/json", "CF-Connecting-IP": "2001:db8:ca11::1" },
        body: JSON.stringify(account),
      });
      expect(status).toBe(200);
      expect(calls, path).toBeLessThanOrEqual(CALLS_MAX);
    }
  });

  test("the Worker makes one call for a request that an object answers", async () => {
    expect(await callsOf(`${BASE_URL}/v1/me`, asAnn("GET"), "free")).toEqual({ status: 200, calls: 1, queries: 0 });
  });
});

describe("calls of a job", () => {
  test("the cron jobs make at most 50", async () => {
    for (const job of [wakeIfDue, runDaily]) {
      const { env: watched, counted } = countCalls(env);
      await job(watched);
      expect(counted.calls, job.name).toBeLessThanOrEqual(CALLS_MAX);
    }
  });

  test("a run of maintenance makes at most 50, also while an account of many links is erased", async () => {
    const all = await ids();
    expect(all).toHaveLength(100);
    await closeAccount(env, ann.accountId);
    await env.DB.prepare("UPDATE closed_accounts SET due_at = 0").run();
    let most = 0;
    for (let cursor = "", runs = 0; runs < 8; runs++) {
      const { env: watched, counted } = countCalls({ ...env, MAINTENANCE_CALLS: "32" } as unknown as Env);
      ({ deliveryCursor: cursor } = await runMaintenance(watched, cursor));
      most = Math.max(most, counted.calls);
    }
    expect(most).toBeGreaterThan(16);
    expect(most).toBeLessThanOrEqual(CALLS_MAX);
  });
});
