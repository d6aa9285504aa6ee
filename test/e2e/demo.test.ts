/** `npm run dev -- --demo-links N`: the contents of the demo accounts, and settings from the environment. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { type DevServer, startDevServer } from "../support/dev-server.ts";

const SETTINGS = {
  HOME_URL: "https://example.com/home",
  NOT_FOUND_URL: "https://example.com/lost",
  EXPIRED_URL: "https://example.com/over",
  DEFAULT_PLAN: "premium",
  PEEK: "off",
};

let server: DevServer;

beforeAll(async () => {
  server = await startDevServer(SETTINGS, undefined, ["--demo-links", "6"]);
});

afterAll(() => server.remove());

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${server.base}${path}`, {
    headers: { Authorization: `Bearer ${server.accounts.Premium.live}` },
  });
  return (await response.json()) as T;
}

test("the demo account has links with past clicks that statistics and redirects include", async () => {
  const { data } = await get<{ data: { id: string; slug: string; short_url: string; created_at: string }[] }>(
    "/v1/links?sort=created_at",
  );
  expect(data).toHaveLength(6);
  const [first] = data;
  if (!first) throw new Error("no link");
  const stats = `/v1/links/${first.id}/stats?group_by=rule`;
  const old = await get<{ total: number; buckets: { key: string; clicks: number }[] }>(
    `${stats}&to=${new Date(Date.now() - 86_400_000).toISOString()}`,
  );
  expect(old.total).toBeGreaterThan(1_000);
  expect(old.buckets.map(({ key }) => key).toSorted()).toEqual([
    "country=AT,CH,DE",
    "country=FR",
    "default",
    "device=mobile",
  ]);
  const visited = await fetch(first.short_url, { redirect: "manual", headers: { "X-Visitor-Country": "FR" } });
  expect(visited.headers.get("Location")).toBe("https://shop.example.com/fr/automne");

  const { data: revisions } = await get<{ data: { url: string }[] }>(`/v1/links/${first.id}/revisions`);
  expect(revisions).toHaveLength(3);
  const byRevision = await get<{
    total: number;
    unique_visitors: number;
    buckets: { key: string; clicks: number; unique_visitors: number }[];
  }>(`/v1/links/${first.id}/stats?group_by=revision&include=uniques`);
  expect(byRevision.buckets.map(({ key }) => key).toSorted()).toEqual(["1", "2", "3"]);
  expect(byRevision.unique_visitors).toBeGreaterThan(byRevision.total / 2);
  expect(byRevision.unique_visitors).toBeLessThan(byRevision.total);
  const tagged = await get<{ data: { slug: string }[] }>("/v1/links?tag=campaigns&sort=created_at");
  expect(tagged.data.map(({ slug }) => slug)).toEqual(["autumn-sale", "pricing-test"]);
});

test("the environment sets the default redirects, and the plan of accounts that sign up", async () => {
  const locationOf = async (url: string) => (await fetch(url, { redirect: "manual" })).headers.get("Location");
  expect(await locationOf(`${server.base}/`)).toBe(SETTINGS.HOME_URL);
  expect(await locationOf(`${server.base}/there-is-none`)).toBe(SETTINGS.NOT_FOUND_URL);
  const send = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    fetch(server.base + path, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const Authorization = `Bearer ${server.accounts.Premium.live}`;
  const created = await send("POST", "/v1/links", { url: "https://example.com/" }, { Authorization });
  const { id, short_url } = (await created.json()) as { id: string; short_url: string };
  await send("PATCH", `/v1/links/${id}`, { expires_at: "2026-01-01T00:00:00Z" }, { Authorization });
  expect(await locationOf(short_url)).toBe(SETTINGS.EXPIRED_URL);
  expect(await locationOf(`${short_url}+`)).toBe(SETTINGS.NOT_FOUND_URL);

  const holder = { name: "", email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery" };
  const signUp = await send("POST", "/dashboard/api/auth/sign-up/email", holder, { Origin: server.base });
  const cookies = signUp.headers.getSetCookie().map((cookie) => cookie.split(";")[0]);
  const account = await fetch(`${server.base}/dashboard/api/account`, { headers: { Cookie: cookies.join("; ") } });
  expect(await account.json()).toMatchObject({ email: holder.email, plan: "premium" });
});
