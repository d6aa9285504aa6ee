/** A customer's program, with the types that openapi-typescript generates from the document. */
import createClient from "openapi-fetch";

import type { components, paths } from "./generated/openapi-typescript.ts";

type Failure = components["schemas"]["Error"] | components["schemas"]["Problem"];

/** The code of an error, which has two shapes: `Accept` chooses one. */
function codeOf(failure: Failure | undefined): string | undefined {
  return failure && ("error" in failure ? failure.error.code : failure.code);
}

export async function flow(baseUrl: string, key: string): Promise<unknown> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

  const { data: created } = await client.POST("/v1/links", {
    params: { header: { "Idempotency-Key": crypto.randomUUID() } },
    body: {
      url: "https://example.com/",
      routing: [{ if: { country: "de", region: "de-be" }, to: "https://example.com/de" }],
    },
  });
  if (!created) throw new Error("no link");
  const byId = { id: created.id };
  const read = await client.GET("/v1/links/{id}", { params: { path: byId } });
  const etag = read.response.headers.get("ETag") ?? "";
  const change = { params: { path: byId, header: { "If-Match": etag } }, body: { expires_at: "2099-01-01T00:00:00Z" } };
  const changed = await client.PATCH("/v1/links/{id}", change);
  const outdated = await client.PATCH("/v1/links/{id}", change);

  const { data: second } = await client.POST("/v1/links", { body: { url: "https://example.com/2" } });
  if (!second) throw new Error("no second link");
  const listed: string[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: 1, created_after: created.created_at, ...(cursor ? { cursor } : {}) };
    const { data: page } = await client.GET("/v1/links", { params: { query } });
    listed.push(...(page?.data ?? []).map(({ id }) => id));
    cursor = page?.next_cursor;
  } while (cursor);

  const stats = await client.GET("/v1/links/{id}/stats", {
    params: { path: byId, query: { group_by: "device", interval: "day" } },
  });
  const { data: code } = await client.POST("/v1/qr", { body: { link_id: created.id } });
  const codes = await client.GET("/v1/qr", { params: { query: { link_id: created.id } } });
  const { data: domain } = await client.POST("/v1/domains", { body: { domain: `go.${crypto.randomUUID()}.example` } });
  const gone = await client.DELETE("/v1/domains/{id}", { params: { path: { id: domain?.id ?? "" } } });
  const me = await client.GET("/v1/me");

  const invalid = await client.POST("/v1/links", { body: { url: "nowhere" } });
  const missing = await client.GET("/v1/links/{id}", { params: { path: { id: "lnk_none" } } });
  const updated = await client.POST("/v1/links/bulk-update", {
    body: { links: [{ id: second.id, url: "https://example.com/3" }, { id: "lnk_none" }] },
  });
  const removed = await client.POST("/v1/links/bulk-delete", { body: { links: [byId, { id: second.id }] } });
  return {
    rule: created.routing[0]?.if.region,
    read: read.data?.id === created.id,
    changed: [etag, changed.data?.expires_at, outdated.response.status, codeOf(outdated.error)],
    listed: new Set(listed).has(created.id) && new Set(listed).has(second.id),
    stats: [stats.data?.group_by, stats.data?.total],
    code: [code?.format, codes.data?.data.map(({ id }) => id === code?.id)],
    domain: [domain?.status, gone.response.status],
    me: [me.data?.mode, me.data?.limits.keys.max],
    errors: [codeOf(invalid.error), codeOf(missing.error)],
    updated: updated.data?.results.map((result) => ("link" in result ? result.link.url : result.error.code)),
    removed: removed.data?.results.map((result) => "deleted" in result && result.deleted),
  };
}
