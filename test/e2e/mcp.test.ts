/**
 * Agents at a server: the client of the official SDK over HTTP, against the Worker as it is uploaded. On Workers' paid
 * plan the Worker answers itself, on the Free plan one of its objects does.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { connect, type Era, ERAS } from "../support/agent.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, Workerd, type WorkerModule } from "../support/workerd.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Every isolate serves a changed link within ten seconds. */
const RULES_SEEN_MS = 30_000;

const RULES = [{ if: { country: "XX" }, to: "https://example.com/unknown" }];

let code: WorkerModule[];

beforeAll(async () => {
  code = await bundleModules("src/worker.ts");
});

describe.each(["paid", "free"])("on the plan %s", (plan) => {
  let workerd: Workerd;
  let url: string;
  let api: ApiClient;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const bindings = bindingsOf(`127.0.0.1:${port}`, { WORKERS_PLAN: plan });
    workerd = await Workerd.start([{ name: "hoplink", code, port, ...bindings }]);
    const DB = await workerd.migratedDatabase("hoplink");
    const { id } = await newTestAccount({ DB }, "premium");
    api = new ApiClient(url, await issueKeyText({ DB }, id, "live", "agent"));
  });

  afterAll(() => workerd.stop());

  test.each(Object.keys(ERAS) as Era[])("an MCP %s agent creates and changes a link, and tries rules", async (era) => {
    const agent = await connect(url, api.key, era);
    const link = await agent.answer("create_link", { url: "https://example.com/" });
    const [id, shortUrl] = [String(link["id"]), String(link["short_url"])];
    await fetch(shortUrl, { redirect: "manual", headers: { "User-Agent": "Mozilla/5.0" } });
    expect(await api.totalOnceRecorded([id], 1)).toBe(1);

    expect(await agent.refusal("update_link", { id, revision: 1, routing: RULES })).toMatchObject({ param: "digest" });
    const { digest, revision, ...tried } = await agent.answer("backtest_change", { id, routing: RULES });
    expect(tried).toMatchObject({ clicks: 1, moved: 1 });
    await agent.answer("update_link", { id, revision, routing: RULES, digest });
    const destination = async () => (await fetch(shortUrl, { redirect: "manual" })).headers.get("Location");
    await eventually(async () => (await destination()) === RULES[0]?.to, "the new rules", RULES_SEEN_MS);
  });

  test("many simultaneous agents each get their own responses", async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => connect(url, api.key, "2026-07-28")));
    const titles = await Promise.all(
      agents.map(async (agent, i) => {
        const { id } = await agent.answer("create_link", { url: "https://example.com/", title: `Link ${i}` });
        return (await agent.answer("get_link", { id }))["title"];
      }),
    );
    expect(titles).toEqual(agents.map((_, i) => `Link ${i}`));
  });
});
