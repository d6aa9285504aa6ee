import { expect, test } from "vitest";

import { ImportApi, type ImportRequest, type ImportTransport } from "../../../src/core/imports/import-api.ts";

type Answer = { body: unknown } | { status: number; retryAfter?: number } | { error: Error };

/** An import's requests and waits, with these answers in turn; the last one is repeated. */
function recorded(...answers: [Answer, ...Answer[]]) {
  const [sent, waits]: [ImportRequest[], number[]] = [[], []];
  let keys = 0;
  const transport: ImportTransport = {
    send: async (request) => {
      const answer = answers[Math.min(sent.length, answers.length - 1)] ?? answers[0];
      sent.push(request);
      if ("body" in answer) return answer.body;
      if ("error" in answer) throw answer.error;
      throw Object.assign(new Error("refused"), { retryAfter: undefined, ...answer });
    },
    wait: async (ms) => void waits.push(ms),
    newKey: () => `key-${keys++}`,
    random: () => 0,
  };
  return { api: new ImportApi(transport), transport, sent, waits };
}

const JSON_HEADERS = { "Content-Type": "application/json" };

test.each<[string, (api: ImportApi) => Promise<unknown>, ImportRequest]>([
  ["me", (api) => api.me(), { method: "GET", path: "/me", headers: {} }],
  [
    "listLinks",
    (api) => api.listLinks({ domain: "go.example", cursor: "a b" }),
    { method: "GET", path: "/links?domain=go.example&cursor=a+b&archived=any", headers: {} },
  ],
  [
    "createLinks",
    (api) => api.createLinks([{ url: "https://example.com/" }]),
    {
      method: "POST",
      path: "/links/bulk",
      headers: { ...JSON_HEADERS, "Idempotency-Key": "key-0" },
      body: '{"links":[{"url":"https://example.com/"}]}',
    },
  ],
  [
    "updateLinks",
    (api) => api.updateLinks([{ id: "lnk_1", title: "A" }]),
    {
      method: "POST",
      path: "/links/bulk-update",
      headers: { ...JSON_HEADERS, "Idempotency-Key": "key-0" },
      body: '{"links":[{"id":"lnk_1","title":"A"}]}',
    },
  ],
  [
    "handOver",
    (api) => api.handOver(["lnk_1", "lnk_2"]),
    {
      method: "POST",
      path: "/links/hand-over",
      headers: { ...JSON_HEADERS, "Idempotency-Key": "key-0" },
      body: '{"links":[{"id":"lnk_1"},{"id":"lnk_2"}]}',
    },
  ],
  [
    "putHistory",
    (api) => api.putHistory("imp_1", "lnk_1", { offset: 0, clicks: [] }),
    { method: "PUT", path: "/imports/imp_1/links/lnk_1", headers: JSON_HEADERS, body: '{"offset":0,"clicks":[]}' },
  ],
])("%s sends its request and returns the response's body", async (_name, call, request) => {
  const { api, sent } = recorded({ body: "answered" });
  await expect(call(api)).resolves.toBe("answered");
  expect(sent).toEqual([request]);
});

test("the account is read with its domains, in one page", async () => {
  const { api, sent } = recorded({ body: { plan: "free", default_domain: "hop.example", data: [] } });
  await expect(api.account()).resolves.toMatchObject({ plan: "free", defaultDomain: "hop.example" });
  expect(sent.map(({ path }) => path)).toEqual(["/me", "/domains?limit=100"]);
});

test("a failed request is repeated with the same key, after longer and longer waits", async () => {
  const { api, sent, waits } = recorded({ status: 0 }, { status: 503 }, { status: 429, retryAfter: 7 }, { body: 1 });
  await expect(api.createLinks([])).resolves.toBe(1);
  expect(sent).toEqual(Array.from({ length: 4 }, () => sent[0]));
  expect(waits).toEqual([500, 1_000, 7_000]);
});

test("two requests have different keys", async () => {
  const { api, sent } = recorded({ body: 1 });
  await api.createLinks([]);
  await api.createLinks([]);
  expect(sent.map(({ headers }) => headers["Idempotency-Key"])).toEqual(["key-0", "key-1"]);
});

test("a refused request is not repeated, nor is one that cannot be sent", async () => {
  const refused = recorded({ status: 422 });
  await expect(refused.api.me()).rejects.toMatchObject({ status: 422 });
  const broken = recorded({ error: new TypeError("no such host") });
  await expect(broken.api.me()).rejects.toThrow("no such host");
  expect([refused.sent.length, broken.sent.length]).toEqual([1, 1]);
});

test("a canceled wait ends the request", async () => {
  const { api, transport, sent } = recorded({ status: 503 });
  transport.wait = () => Promise.reject(new Error("canceled"));
  await expect(api.me()).rejects.toThrow("canceled");
  expect(sent).toHaveLength(1);
});
