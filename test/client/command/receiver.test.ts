/** Posting events, on the oldest runtime that the command supports. */
import { afterEach, expect, test, vi } from "vitest";

import { deliver, webhookKey } from "../../../src/client/cli/commands/tail.ts";
import { WebhookReceiver } from "../../support/webhook-receiver.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

afterEach(() => vi.restoreAllMocks());

test("Node 20.0 has no AbortSignal.any", async () => {
  vi.spyOn(AbortSignal, "any").mockImplementation(() => {
    throw new TypeError("AbortSignal.any is not a function");
  });
  const hook = new WebhookReceiver(SECRET);
  await hook.start();
  const { signal } = new AbortController();
  const onRetry = (why: string) => {
    throw new Error(why);
  };
  await deliver({ url: hook.url, key: webhookKey(SECRET), signal, onRetry }, "clk_1", { seq: 1 });
  expect(hook.taken).toEqual([{ id: "clk_1", event: { seq: 1 } }]);
  await hook.stop();
});
