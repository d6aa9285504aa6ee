/** R2 in the stand-in for Cloudflare's API, for an account that has enabled it or has not. */
import { Buffer } from "node:buffer";

import { type ApiRequest, CloudflareError } from "./api-request.ts";
import { type Account, type Bucket, locationOf } from "./account.ts";
import type { Handler, Routes } from "./api-server.ts";
import type { Runtime } from "./runtime.ts";

export function bucketRoutes(account: Account, runtime: Runtime): Routes {
  const one = (request: ApiRequest) => find(account, request.param("bucket"));
  const routes: Routes = {
    "GET /accounts/:account/r2/buckets": () => ({ buckets: account.buckets.map(summary) }),
    "POST /accounts/:account/r2/buckets": (request) => {
      const { name, locationHint } = request.json<{ name?: unknown; locationHint?: unknown }>();
      return summary(create(account, runtime, name, locationHint));
    },
    "GET /accounts/:account/r2/buckets/:bucket": (request) => summary(one(request)),
    "DELETE /accounts/:account/r2/buckets/:bucket": async (request) => {
      const bucket = one(request);
      const { objects } = await runtime.bucket(bucket.name, (stored) => stored.list({ limit: 1 }));
      if (objects.length > 0) throw new CloudflareError(409, 10008, "The bucket you tried to delete is not empty.");
      account.buckets = account.buckets.filter((other) => other !== bucket);
      runtime.outdated();
      return {};
    },
    "GET /accounts/:account/r2/buckets/:bucket/lifecycle": (request) => ({ rules: one(request).lifecycle }),
    "PUT /accounts/:account/r2/buckets/:bucket/lifecycle": (request) => {
      const { rules } = request.json<{ rules?: Record<string, unknown>[] }>();
      if (!Array.isArray(rules) || rules.some((rule) => typeof rule.id !== "string" || !rule.conditions))
        throw new CloudflareError(400, 10040, "The JSON you provided was not well formed.");
      one(request).lifecycle = rules;
    },
    "GET /accounts/:account/r2/buckets/:bucket/domains/custom": (request) => ({ domains: one(request).domains }),
    "POST /accounts/:account/r2/buckets/:bucket/domains/custom": (request) => {
      const { domain = "", zoneId, enabled } = request.json<{ domain?: string; zoneId?: string; enabled?: boolean }>();
      const zone = account.zones.find(({ id }) => id === zoneId);
      if (!zone || !domain.endsWith(`.${zone.name}`))
        throw new CloudflareError(400, 10001, "The domain is not in the zone.");
      one(request).domains.push({ domain, enabled });
      return { domain, enabled };
    },
    "GET /accounts/:account/r2/buckets/:bucket/domains/managed": (request) => {
      const { name, isOnR2Dev } = one(request);
      return { bucketId: name, domain: `pub-${name}.r2.dev`, enabled: isOnR2Dev };
    },
    "GET /accounts/:account/r2/buckets/:bucket/objects": async (request) => {
      const { name } = one(request);
      const limit = Number(request.query("per_page") ?? 20);
      const startAfter = request.query("start_after") ?? "";
      const { objects } = await runtime.bucket(name, (bucket) =>
        bucket.list({ prefix: request.query("prefix") ?? "", limit, ...(startAfter && { startAfter }) }),
      );
      return objects.map(({ key, size }) => ({ key, size }));
    },
    "GET /accounts/:account/r2/buckets/:bucket/objects/:key*": async (request) => {
      const content = await runtime.bucket(one(request).name, async (bucket) =>
        (await bucket.get(request.param("key")))?.arrayBuffer(),
      );
      if (!content) throw new CloudflareError(404, 10007, "The specified key does not exist.");
      return Buffer.from(content);
    },
    "PUT /accounts/:account/r2/buckets/:bucket/objects/:key*": async (request) => {
      const { name } = one(request);
      await runtime.bucket(name, (bucket) => bucket.put(request.param("key"), new Uint8Array(request.body)));
      return { key: request.param("key") };
    },
    "DELETE /accounts/:account/r2/buckets/:bucket/objects/:key*": async (request) => {
      await runtime.bucket(one(request).name, (bucket) => bucket.delete(request.param("key")));
      return { key: request.param("key") };
    },
  };
  return Object.fromEntries(Object.entries(routes).map(([route, handler]) => [route, ifEnabled(account, handler)]));
}

function ifEnabled(account: Account, handler: Handler): Handler {
  return (request) => {
    if (!account.hasR2) throw new CloudflareError(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
    return handler(request);
  };
}

function create(account: Account, runtime: Runtime, name: unknown, hint: unknown): Bucket {
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(name))
    throw new CloudflareError(400, 10005, "The specified bucket name is not valid.");
  if (account.buckets.some((bucket) => bucket.name === name))
    throw new CloudflareError(409, 10004, "The bucket you tried to create already exists, and you own it.");
  const location = locationOf(hint);
  if (location === null) throw new CloudflareError(400, 10040, "The specified location hint is not valid.");
  const bucket = { name, createdAt: new Date().toISOString(), location, lifecycle: [], domains: [], isOnR2Dev: false };
  account.buckets.push(bucket);
  runtime.outdated();
  return bucket;
}

function find({ buckets }: Account, name: string): Bucket {
  const found = buckets.find((bucket) => bucket.name === name);
  if (!found) throw new CloudflareError(404, 10006, "The specified bucket does not exist.");
  return found;
}

function summary({ name, createdAt, location }: Bucket) {
  return { name, creation_date: createdAt, location, storage_class: "Standard", jurisdiction: "default" };
}
