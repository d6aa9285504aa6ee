/** A customer's program, with the client that @hey-api/openapi-ts generates from the document. */
import { createClient } from "./generated/hey-api/client/index.ts";
import * as api from "./generated/hey-api/index.ts";

export async function flow(baseUrl: string, key: string): Promise<unknown> {
  const client = createClient({ baseUrl, auth: key });

  const { data: created } = await api.createLink({
    client,
    headers: { "Idempotency-Key": crypto.randomUUID() },
    body: {
      url: "https://example.com/",
      routing: [{ if: { country: "de", region: "de-be" }, to: "https://example.com/de" }],
    },
  });
  if (!created) throw new Error("no link");
  const path = { id: created.id };
  const read = await api.getLink({ client, path });
  const etag = read.response?.headers.get("ETag") ?? "";
  const change = { client, path, headers: { "If-Match": etag }, body: { expires_at: "2099-01-01T00:00:00Z" } };
  const changed = await api.updateLink(change);
  const outdated = await api.updateLink(change);

  const { data: second } = await api.createLink({ client, body: { url: "https://example.com/2" } });
  if (!second) throw new Error("no second link");
  const listed: string[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: 1, created_after: created.created_at, ...(cursor ? { cursor } : {}) };
    const { data: page } = await api.listLinks({ client, query });
    listed.push(...(page?.data ?? []).map(({ id }) => id));
    cursor = page?.next_cursor;
  } while (cursor);

  const stats = await api.getLinkStats({ client, path, query: { group_by: "device", interval: "day" } });
  const { data: code } = await api.createQrCode({ client, body: { link_id: created.id } });
  const codes = await api.listQrCodes({ client, query: { link_id: created.id } });
  const { data: domain } = await api.createDomain({ client, body: { domain: `go.${crypto.randomUUID()}.example` } });
  const gone = await api.deleteDomain({ client, path: { id: domain?.id ?? "" } });
  const me = await api.getMe({ client });

  const invalid = await api.createLink({ client, body: { url: "nowhere" } });
  const missing = await api.getLink({ client, path: { id: "lnk_none" } });
  const updated = await api.updateLinks({
    client,
    body: { links: [{ id: second.id, url: "https://example.com/3" }, { id: "lnk_none" }] },
  });
  const removed = await api.deleteLinks({ client, body: { links: [path, { id: second.id }] } });
  return {
    rule: created.routing[0]?.if.region,
    read: read.data?.id === created.id,
    changed: [etag, changed.data?.expires_at, outdated.response?.status, outdated.error?.error.code],
    listed: new Set(listed).has(created.id) && new Set(listed).has(second.id),
    stats: [stats.data?.group_by, stats.data?.total],
    code: [code?.format, codes.data?.data.map(({ id }) => id === code?.id)],
    domain: [domain?.status, gone.response?.status],
    me: [me.data?.mode, me.data?.limits.keys.max],
    errors: [invalid.error?.error.code, missing.error?.error.code],
    updated: updated.data?.results.map((result) => ("link" in result ? result.link.url : result.error.code)),
    removed: removed.data?.results.map((result) => "deleted" in result && result.deleted),
  };
}
