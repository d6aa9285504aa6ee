/**
 * A customer's use of the package, the same in every runtime: `client-runtimes.test.ts` of `test/e2e`
 * and `test/compat` run it. It gets the package as an argument, and uses only features that all of them have.
 */
import type * as Package from "../../../src/client/index.ts";

export interface Settings {
  baseUrl: string;
  apiKey: string;
}

const STREAM_TIMEOUT_MS = 60_000;

type Client = Package.Hoplink;

export async function flow({ Hoplink, isHoplinkError }: typeof Package, settings: Settings): Promise<unknown> {
  const hoplink = new Hoplink(settings);
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "no error",
      (error: unknown) => (isHoplinkError(error) ? error.code : String(error)),
    );
  const tag = `t${Math.random().toString(36).slice(2)}`;
  const link = await hoplink.links.create({ url: "https://example.com/", slug: tag, tags: [tag] });
  const { etag } = await hoplink.links.get(link.id).withResponse();
  const ifMatch = etag ?? "";
  const changed = await hoplink.links.update(link.id, { title: "Spring" }, { ifMatch });
  return {
    link: [link.slug === tag, changed.title],
    errors: await Promise.all([
      codeOf(hoplink.links.create({ url: "https://example.com/", slug: tag })),
      codeOf(hoplink.links.update(link.id, { title: "Autumn" }, { ifMatch })),
      codeOf(hoplink.links.get("lnk_none")),
      codeOf(new Hoplink({ ...settings, apiKey: "svc_live_none" }).me()),
    ]),
    many: await manyLinks(hoplink, tag),
    rest: await codeAndDomain(hoplink, link, tag),
    stream: await streamedClicks(hoplink, link),
    clicks: await clicksOf(hoplink, link),
    aborted: await abortedStream(hoplink, link),
  };
}

async function manyLinks(hoplink: Client, tag: string): Promise<unknown> {
  const made = await hoplink.links.createMany(
    Array.from({ length: 120 }, (_, i) => ({ url: `https://example.com/${i}`, tags: [tag] })),
  );
  const ids = made.flatMap((result) => ("link" in result ? [result.link.id] : []));
  const listed: string[] = [];
  for await (const { id } of hoplink.links.list({ tag: [tag], limit: 50 })) listed.push(id);
  const updated = await hoplink.links.updateMany(ids.map((id) => ({ id, title: "x" })));
  const deleted = await hoplink.links.deleteMany([...ids, "lnk_none"].map((id) => ({ id })));
  return [ids.length, new Set(listed).size, updated.length, deleted.filter((result) => "deleted" in result).length];
}

async function codeAndDomain(hoplink: Client, { id }: Package.Link, tag: string): Promise<unknown> {
  const code = await hoplink.qrCodes.create({ link_id: id, format: "svg" });
  const image = await new Response(await hoplink.qrCodes.image(code)).text();
  const domain = await hoplink.domains.create({ domain: `${tag}.example.com` });
  await hoplink.domains.delete(domain.id);
  const { tags, mode } = { tags: await hoplink.tags.list({ search: tag }).all(), mode: (await hoplink.me()).mode };
  return [image.startsWith("<svg"), domain.status, tags, mode].map((part) =>
    Array.isArray(part) ? part.length : part,
  );
}

/** Three clicks: two on a stream that treats two quiet seconds as a broken line, one on a stream resumed there. */
async function streamedClicks(hoplink: Client, link: Package.Link): Promise<unknown> {
  const seen: string[] = [];
  let reconnections = 0;
  let visits = 0;
  let cursor = "";
  const onReconnect = () => void reconnections++;
  // Limits the wait for a click that does not arrive.
  const signal = AbortSignal.timeout(STREAM_TIMEOUT_MS);
  for await (const event of hoplink.events.stream({ linkId: link.id, silenceMs: 2_000, onReconnect, signal })) {
    cursor = event.cursor;
    seen.push(event.type);
    // The second time it is open after silence.
    if (event.type === "ready" && visits++ < 2) await visit(link);
    if (seen.filter((type) => type === "click").length === 2) break;
  }
  await visit(link);
  for await (const event of hoplink.events.stream({ linkId: link.id, since: cursor, signal })) {
    if (event.type !== "click") continue;
    return [
      seen.filter((type) => type === "click").length,
      reconnections >= 1,
      event.click.short_url === link.short_url,
    ];
  }
  return "the stream ended";
}

/** A page of another origin can visit the link, but not see the result. */
async function visit({ short_url }: Package.Link): Promise<void> {
  await fetch(short_url, { redirect: "manual" }).catch(() => {});
}

async function clicksOf(hoplink: Client, { id }: Package.Link): Promise<unknown> {
  const file = await hoplink.links.exportClicks(id, { format: "csv" });
  const lines = (await new Response(file).text()).trim().split("\n");
  const { total } = await hoplink.links.stats(id, { group_by: "device", interval: "day" });
  const log = await hoplink.links.clicks(id, { limit: 2 }).all();
  return [lines.length - 1, total, log.map(({ seq }) => seq)];
}

async function abortedStream(hoplink: Client, { id }: Package.Link): Promise<unknown> {
  const controller = new AbortController();
  try {
    for await (const { type } of hoplink.events.stream({ linkId: id, signal: controller.signal })) {
      if (type === "ready") setTimeout(() => controller.abort(), 100);
    }
    return "no error";
  } catch (error) {
    return (error as Error).name;
  }
}
