/** Workers' Free plan: the service runs in objects, which may use 30 s of CPU a request; redirects in the Worker. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { QrCode } from "../../src/core/contract/qr-codes.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { HttpSession } from "../support/http-session.ts";
import { freePort } from "../support/ports.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";

vi.setConfig({ testTimeout: 120_000 });

const PASSWORD = "correct horse battery";

let workerd: Workerd;
let url: string;
let api: ApiClient;

/** The objects run in a separate isolate, so that what the Worker loads itself can be distinguished. */
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const code = await bundleModules("src/worker.ts");
  const vars = { WORKERS_PLAN: "free", SIGNUPS: "open", MAINTENANCE_CALLS: "32" };
  const bindings = (objectsIn?: string) => bindingsOf(`127.0.0.1:${port}`, vars, objectsIn);
  workerd = await Workerd.start(
    [
      { name: "hoplink", code, port, ...bindings("objects") },
      { name: "objects", code, ...bindings() },
    ],
    { keepLog: "workers" },
  );
  const DB = await workerd.migratedDatabase("hoplink");
  const { id } = await newTestAccount({ DB });
  api = new ApiClient(url, await issueKeyText({ DB }, id, "live", "test"));
});

afterAll(() => workerd.stop());

test("the API answers as it does in the Worker: links, statistics, codes, errors", async () => {
  const link = await api.createLink();
  const response = await fetch(link.short_url, { redirect: "manual", headers: { "User-Agent": "Mozilla/5.0" } });
  expect([response.status, response.headers.get("Location")]).toEqual([302, "https://example.com/"]);
  expect(await api.totalOnceRecorded([link.id], 1)).toBe(1);
  const code = QrCode.parse(await api.call("POST", "/v1/qr", { link_id: link.id, size: 4096 }));
  const image = await fetch(code.url);
  expect([image.status, image.headers.get("Content-Type")]).toEqual([200, "image/png"]);
  expect((await image.arrayBuffer()).byteLength).toBe(Number(image.headers.get("Content-Length")));
  expect((await api.send("GET", "/v1/links/lnk_none")).status).toBe(404);
  const links = Array.from({ length: 100 }, () => ({ url: "https://example.com/" }));
  expect((await api.send("POST", "/v1/links/bulk", { links })).status).toBe(200);
  expect((await new ApiClient(url, "svc_live_wrong").send("GET", "/v1/me")).status).toBe(401);
});

test("people sign up, sign in and sign out, with a password", async () => {
  const email = `person-${crypto.randomUUID()}@example.com`;
  const signedUp = await new HttpSession(url).send("POST", "/dashboard/api/auth/sign-up/email", {
    name: "Test User",
    email,
    password: PASSWORD,
  });
  expect(signedUp.status).toBe(200);
  const browser = new HttpSession(url);
  const signIn = (password: string) => browser.send("POST", "/dashboard/api/auth/sign-in/email", { email, password });
  expect((await signIn("wrong horse battery")).status).toBe(401);
  expect((await signIn(PASSWORD)).status).toBe(200);
  expect(await browser.send("GET", "/dashboard/api/account")).toMatchObject({ status: 200, body: { email } });
  expect((await browser.send("POST", "/dashboard/api/auth/sign-out", {})).status).toBe(200);
  expect((await browser.send("GET", "/dashboard/api/account")).status).toBe(401);
  expect(JSON.stringify(workerd.log)).not.toContain(PASSWORD);
});

test("17 while 200 passwords of a link are guessed, of which 100 are checked, redirects of another link are answered", async () => {
  const guessed = await api.createLink({ password: "correct horse" });
  const other = await api.createLink();
  const guess = async (network: number) => {
    const headers = { "CF-Connecting-IP": `203.0.113.${network}` };
    const body = new URLSearchParams({ password: `guess ${network}` });
    return (await fetch(guessed.short_url, { method: "POST", body, headers, redirect: "manual" })).status;
  };
  let isGuessing = true;
  // Fewer at a time than may wait, so that each is checked or over the limit.
  const guessers = Array.from({ length: 10 }, async (_, guesser) => {
    const statuses: number[] = [];
    for (let network = guesser; network < 200; network += 10) statuses.push(await guess(network));
    return statuses;
  });
  const visitors = Array.from({ length: 4 }, async () => {
    const statuses: number[] = [];
    while (isGuessing || statuses.length < 50)
      statuses.push((await fetch(other.short_url, { redirect: "manual" })).status);
    return statuses;
  });
  const guesses = (await Promise.all(guessers)).flat();
  isGuessing = false;
  const visits = (await Promise.all(visitors)).flat();
  expect([401, 429].map((status) => guesses.filter((one) => one === status).length)).toEqual([100, 100]);
  expect(new Set(visits)).toEqual(new Set([302]));
});

test("a stream is checked by an object, sent by the Worker, and shows clicks", async () => {
  const link = await api.createLink();
  const ended = new AbortController();
  const response = await fetch(`${url}/v1/events/stream`, {
    headers: { Authorization: `Bearer ${api.key}` },
    signal: ended.signal,
  });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  let text = "";
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  await eventually(async () => text.includes("event: ready"), "the stream's beginning");
  await fetch(link.short_url, { redirect: "manual", headers: { "User-Agent": "Mozilla/5.0" } });
  await eventually(async () => text.includes(link.id), "the click");
  ended.abort();
  await reading;
});

test("the cron jobs run", async () => {
  await workerd.runCron("hoplink");
  await workerd.runCron("hoplink", "17 3 * * *");
});
