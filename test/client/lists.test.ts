/** Lists and bulk requests of the client: pages, pieces, and their requests. */
import { afterAll, expect, test } from "vitest";

import { scriptedClient } from "../support/scripted-client.ts";
import { apiError, json, type Reply } from "../support/scripted-server.ts";

const { server, hoplink } = await scriptedClient();

afterAll(() => server.stop());

const pathsSent = () => server.requests.map(({ path }) => path);

test("a list is read page by page, including empty pages, and only as far as the caller reads", async () => {
  const pages = [
    json(200, { data: [1, 2], has_more: true, next_cursor: "b" }),
    json(200, { data: [], has_more: true, next_cursor: "c" }),
    json(200, { data: [3], has_more: false, next_cursor: null }),
  ];
  server.willReply(...pages);
  const list = hoplink.links.list({ limit: 2, tag: ["a b", "c"] });
  expect(server.requests).toEqual([]);
  expect(await list.all()).toEqual([1, 2, 3]);
  const query = "/v1/links?limit=2&tag=a+b&tag=c";
  expect(pathsSent()).toEqual([query, `${query}&cursor=b`, `${query}&cursor=c`]);
  server.willReply(...pages);
  for await (const item of list) if (Number(item) === 2) break;
  expect(pathsSent()).toEqual([query]);
  server.willReply(...pages);
  const sizes: number[] = [];
  for await (const { data } of list.pages()) sizes.push(data.length);
  expect(sizes).toEqual([2, 0, 1]);
});

test("a list begins at the given position", async () => {
  server.willReply(json(200, { data: [], has_more: false, next_cursor: null }));
  await hoplink.tags.list({ cursor: "x" }).all();
  expect(pathsSent()).toEqual(["/v1/tags?cursor=x"]);
});

test("clicks continue after the last one", async () => {
  server.willReply(
    json(200, { data: [1], has_more: true, next_after: 7 }),
    json(200, { data: [2], has_more: false, next_after: 9 }),
  );
  const seen: unknown[] = [];
  for await (const click of hoplink.links.clicks("lnk_1", { limit: 1, country: ["DE", "a,b\\"] })) seen.push(click);
  expect(seen).toEqual([1, 2]);
  const query = "/v1/links/lnk_1/clicks?limit=1&country=DE%2Ca%5C%2Cb%5C%5C";
  expect(pathsSent()).toEqual([query, `${query}&after=7`]);
});

/** Answers each link of a bulk request with its number. */
const answerEach: Reply = (response, { body }) => {
  const { links } = JSON.parse(body) as { links: { slug?: string }[] };
  response.end(JSON.stringify({ results: links.map(({ slug }) => ({ link: slug })) }));
};

test("many links are sent in pieces that fit into one request, in order", async () => {
  server.willReply(answerEach);
  const small = Array.from({ length: 250 }, (_, i) => ({ url: "https://example.com/", slug: `s${i}` }));
  const large = Array.from({ length: 50 }, (_, i) => ({
    url: `https://example.com/${"ä".repeat(8_000)}`,
    slug: `l${i}`,
  }));
  const links = [...small, ...large];
  const pieces: number[] = [];
  const results = await hoplink.links.createMany(links, {
    idempotencyKey: "import-1",
    onResults: (done) => pieces.push(done.length),
  });
  expect(results).toEqual(links.map(({ slug }) => ({ link: slug })));
  expect(pieces.slice(0, 2)).toEqual([100, 100]);
  expect(pieces.reduce((sum, length) => sum + length)).toBe(300);
  const sizes = server.requests.map(({ body }) => Buffer.byteLength(body));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1_024);
  expect(Math.max(...sizes)).toBeGreaterThan(230 * 1_024);
  expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(
    pieces.map((_, i) => `import-1-${i}`),
  );
});

test("a caller's idempotency key is extended for each piece", async () => {
  server.willReply(answerEach);
  const links = Array.from({ length: 150 }, () => ({ url: "https://example.com/" }));
  await hoplink.links.createMany(links, { headers: { "idempotency-key": "mine" } });
  expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["mine-0", "mine-1"]);
});

test("an empty list sends no request", async () => {
  server.willReply(answerEach);
  expect(await hoplink.links.updateMany([])).toEqual([]);
  expect(server.requests).toEqual([]);
});

test("when a piece fails, the results of earlier pieces have been reported", async () => {
  server.willReply(answerEach, apiError(403, "insufficient_scope"));
  const links = Array.from({ length: 150 }, (_, i) => ({ id: `lnk_${i}` }));
  let done = 0;
  const deleting = hoplink.links.deleteMany(links, { erase: true, onResults: ({ length }) => (done += length) });
  await expect(deleting).rejects.toMatchObject({ code: "insufficient_scope" });
  expect(done).toBe(100);
  expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ erase: true });
});
