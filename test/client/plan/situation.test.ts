/** The links that a plan starts from, and parallel calls. */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";

import { findLink, inParallel, readSituation } from "../../../src/client/plan/apply.ts";
import { scriptedClient } from "../../support/scripted-client.ts";
import { json } from "../../support/scripted-server.ts";
import { currentLink } from "./sample-links.ts";

const { server, hoplink } = await scriptedClient();

afterAll(() => server.stop());

const ITEMS = Array.from({ length: 100 }, (_, i) => i);

test("results are in the order of the items, whichever call ends first", async () => {
  const work = async (item: number) => {
    for (let i = 0; i < 100 - item; i++) await turn();
    return item * 2;
  };
  expect(await inParallel(4, ITEMS, work)).toEqual(ITEMS.map((item) => item * 2));
});

test("after a failure no further call starts", async () => {
  const begun: number[] = [];
  const running = inParallel(4, ITEMS, async (item) => {
    begun.push(item);
    await turn();
    if (item === 5) throw new Error("no");
  });
  await expect(running).rejects.toThrow("no");
  for (let i = 0; i < 200; i++) await turn();
  expect(begun.length).toBeLessThan(12);
});

test("links that ended with a former tenure of their domain do not count", async () => {
  const own = currentLink("spring");
  const ended = currentLink("spring", { id: "lnk_ended", domain_transferred: true });
  const { signal } = new AbortController();
  const me = { default_domain: own.domain, plan: "premium", limits: { links: { used: 1 } } };
  server.willReply((response, request) => {
    const data = request.path.startsWith("/v1/links") ? [own, ended] : [];
    const body = request.path === "/v1/me" ? me : { data, has_more: false, next_cursor: null };
    json(200, body)(response, request);
  });
  expect(await findLink(hoplink, own, { signal })).toEqual([own]);
  const { links } = await readSituation(hoplink, { links: [] }, { everything: true, signal });
  expect(links).toEqual([own]);
});
