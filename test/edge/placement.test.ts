/**
 * Where objects are created: near the first visitor of a link, near the first client of a stream, else in the
 * deployment's region. The runtime here ignores hints.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { imageStore } from "../../src/store/images/images.ts";
import { readMetrics } from "../../src/store/maintenance-client.ts";
import worker from "../../src/worker.ts";
import { premiumAccount } from "../support/test-accounts.ts";

const ann = await premiumAccount();

const IN_WARSAW = { continent: "EU", country: "PL", longitude: "21.01" };

/** Objects that record the hints they are called with, by name. */
function noting<N extends { getByName: (name: string, options?: object) => unknown }>(objects: N) {
  const hints = new Map<string, unknown>();
  const getByName = (name: string, options?: object) => {
    hints.set(name, options);
    return objects.getByName(name, options);
  };
  return { objects: { getByName } as unknown as N, hints };
}

async function send(bindings: Partial<Env>, url: string, cf: object, headers: Record<string, string> = {}) {
  const ctx = createExecutionContext();
  const request = new Request(url, { headers, redirect: "manual", cf } as RequestInit);
  const response = await worker.fetch(request as Parameters<typeof worker.fetch>[0], { ...env, ...bindings }, ctx);
  return { response, background: waitOnExecutionContext(ctx) };
}

test("6 a link's object is created near the visitor of its first click", async () => {
  const { objects: LINK_CLICKS, hints } = noting(env.LINK_CLICKS);
  const [near, unknown] = [await ann.createLink(), await ann.createLink()];
  for (const [link, cf] of [
    [near, IN_WARSAW],
    [unknown, {}],
  ] as const) {
    const { response, background } = await send({ LINK_CLICKS }, link.short_url, cf);
    expect(response.status).toBe(302);
    await background;
  }
  const hintOf = ({ domain, slug }: { domain: string; slug: string }) => hints.get(`${domain}/${slug.toLowerCase()}`);
  expect([hintOf(near), hintOf(unknown)]).toEqual([{ locationHint: "eeur" }, undefined]);
  expect((await ann.statsAfter(1, near)).total).toBe(1);
});

test("8 an account's feed is created near the client of its first stream", async () => {
  const { objects: ACCOUNT_FEED, hints } = noting(env.ACCOUNT_FEED);
  const { response } = await send({ ACCOUNT_FEED }, `${env.BASE_URL}/v1/events/stream`, IN_WARSAW, {
    Authorization: `Bearer ${ann.key}`,
  });
  expect(response.status).toBe(200);
  await response.body?.cancel();
  expect([...hints.values()]).toEqual([{ locationHint: "eeur" }]);
});

test.each([
  ["apac", { locationHint: "apac" }],
  ["sam", undefined],
])("REGION=%s: objects not placed by a visitor's location are created with %o", async (REGION, options) => {
  const noted = {
    LINK_CLICKS: noting(env.LINK_CLICKS),
    ACCOUNT_CLICKS: noting(env.ACCOUNT_CLICKS),
    MAINTENANCE: noting(env.MAINTENANCE),
    SERVICE: noting(env.SERVICE),
    IMAGE_OBJECTS: noting(env.IMAGE_OBJECTS),
  };
  const objects = Object.fromEntries(
    Object.entries(noted).map(([name, { objects }]) => [name, objects]),
  ) as Partial<Env>;
  const bindings: Partial<Env> = { ...objects, REGION, WORKERS_PLAN: "paid" };
  const visited = await send(bindings, (await ann.createLink()).short_url, {});
  await visited.background;
  const asked = await send(bindings, `${env.BASE_URL}/v1/stats`, IN_WARSAW, { Authorization: `Bearer ${ann.key}` });
  const served = await send({ ...bindings, WORKERS_PLAN: "free" }, `${env.BASE_URL}/health`, IN_WARSAW);
  const statuses = [visited, asked, served].map(({ response }) => response.status);
  await Promise.all([asked, served].map(({ response }) => response.text()));
  await readMetrics({ ...env, ...bindings }, Date.now());
  expect(await imageStore({ ...env, ...bindings }).get("none.png", null)).toBeNull();
  const hints = Object.entries(noted).map(([name, { hints }]) => [
    name,
    ...new Set([...hints.values()].map((hint) => JSON.stringify(hint))),
  ]);
  expect([statuses, hints]).toEqual([
    [302, 200, 200],
    Object.keys(noted).map((name) => [name, JSON.stringify(options)]),
  ]);
});
