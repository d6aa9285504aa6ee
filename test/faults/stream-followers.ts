/** Followers of the live stream without error handling: a program with the npm package, and `hoplink tail`. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

import { type ClickEvent, Hoplink } from "../../src/client/index.ts";
import { eventually } from "../support/eventually.ts";
import { HoplinkCommand } from "../support/hoplink-command.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import type { FaultyServer } from "./faulty-server.ts";

export interface Follower {
  /** All events up to now in order of arrival, gaps among them. */
  events: () => readonly (ClickEvent | { type: "gap" })[];
  /** Another failure at each kill. */
  trouble?: () => void;
  /** @throws the error that ended it earlier */
  stop: () => Promise<void>;
}

/** Each returns once the stream is open, so that no later click is missed. */
export const FOLLOWERS: Readonly<Record<string, (server: FaultyServer) => Promise<Follower>>> = {
  "the package": followWithPackage,
  "tail --json": followAsJson,
  "tail --post": followByPosts,
};

async function followWithPackage(server: FaultyServer): Promise<Follower> {
  const hoplink = new Hoplink({ apiKey: server.key, baseUrl: `http://${server.host}` });
  const events: ReturnType<Follower["events"]>[number][] = [];
  const controller = new AbortController();
  let connections = 0;
  const follow = async () => {
    for await (const event of hoplink.events.stream({ signal: controller.signal })) {
      if (event.type === "ready") connections++;
      else events.push(event.type === "click" ? event.click : event);
    }
  };
  const following = follow();
  await eventually(() => connections > 0, "the stream is open");
  const stop = async () => {
    controller.abort();
    await expect(following).rejects.toMatchObject({ name: "AbortError" });
  };
  return { events: () => events, stop };
}

async function followAsJson(server: FaultyServer): Promise<Follower> {
  const { printed, stop } = await startTail(server, ["--json"]);
  const events: ClickEvent[] = [];
  let read = 0;
  const readLines = () => {
    const end = printed.stdout.lastIndexOf("\n") + 1;
    const lines = printed.stdout.slice(read, end).split("\n").slice(0, -1);
    events.push(...lines.map((line) => JSON.parse(line) as ClickEvent));
    read = end;
    return events;
  };
  return { events: readLines, stop };
}

async function followByPosts(server: FaultyServer): Promise<Follower> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const receiver = new WebhookReceiver(secret);
  await receiver.start();
  onTestFinished(() => receiver.stop());
  const tail = await startTail(server, ["--post", receiver.url], { HOPLINK_WEBHOOK_SECRET: secret });
  const stop = async () => {
    await tail.stop();
    expect([receiver.forged, receiver.replies]).toEqual([[], []]);
  };
  return {
    events: () => receiver.taken.map(({ event }) => event as unknown as ClickEvent),
    trouble: () => void receiver.replies.push({ status: 500 }, { status: 429, headers: { "Retry-After": "1" } }),
    stop,
  };
}

async function startTail(server: FaultyServer, args: readonly string[], environment: Record<string, string> = {}) {
  const hoplink = await HoplinkCommand.build();
  hoplink.environment = { HOPLINK_URL: `http://${server.host}`, HOPLINK_API_KEY: server.key, ...environment };
  const running = await hoplink.tail(args, join(hoplink.folder, "tail.cursor"));
  onTestFinished(async () => {
    await running.interrupt();
    hoplink.remove();
  });
  const stop = async () => expect(await running.interrupt(), running.printed.stderr).toBe(130);
  return { printed: running.printed, stop };
}
