/** The client against the OpenAPI document: every operation is reachable. */
import { expect, test } from "vitest";

import { openApiDocument } from "../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../src/api/urls.ts";
import { Hoplink } from "../../src/client/index.ts";

const document = openApiDocument(v1Routes);

test("every operation is a method of the client", async () => {
  const sent: string[] = [];
  const answer = { data: [], has_more: false, next_cursor: null, next_after: null, results: [] };
  const recordingFetch = (async (url: string, { method }: RequestInit) => {
    sent.push(`${method} ${new URL(url).pathname}`);
    return Response.json(answer);
  }) as typeof fetch;
  const hoplink = new Hoplink({ apiKey: "svc_test_key", baseUrl: "http://hop.test", fetch: recordingFetch });
  await callEach(hoplink);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const names = (text: string) =>
    text.replace("{id}", "ID").replace("{revision}", "7").replace("{slug}", "SLUG").replace("{link_id}", "LINK");
  expect(sent.sort()).toEqual(operations.map(names).sort());
});

async function callEach(hoplink: Hoplink): Promise<void> {
  const { links, clicks, tags, qrCodes, imports, domains } = hoplink;
  const url = "https://example.com/";
  await Promise.all([
    hoplink.me(),
    hoplink.stats(),
    links.create({ url }),
    links.get("ID"),
    links.update("ID", {}),
    links.delete("ID"),
    links.list().all(),
    links.createMany([{ url }]),
    links.updateMany([{ id: "ID" }]),
    links.deleteMany([{ id: "ID" }]),
    links.resolve("ID"),
    links.backtest("ID", { routing: [] }),
    links.stats("ID"),
    links.clicks("ID").all(),
    links.revisions("ID").all(),
    links.restore("ID", 7),
    links.uploadSocialImage("ID", new Uint8Array(1)),
    clicks.list().all(),
    tags.list().all(),
    qrCodes.create({ link_id: "ID" }),
    qrCodes.get("ID"),
    qrCodes.update("ID", {}),
    qrCodes.list().all(),
    imports.addClicks("ID", "LINK", { clicks: [] }),
    imports.links("ID").all(),
    imports.undo("ID"),
    domains.create({ domain: "go.example.com" }),
    domains.get("ID"),
    domains.list().all(),
    domains.update("ID", {}),
    domains.delete("ID"),
    // The answer is not a stream.
    expect(hoplink.events.stream().next()).rejects.toMatchObject({ code: "unexpected_response" }),
  ]);
}
