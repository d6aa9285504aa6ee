/** Visitors in batches: hashed immediately if the salt of the day is known, else when the batch is packed. */
import { expect, test } from "vitest";

import { BatchBuilder } from "../../../../src/core/clicks/encoding/batch-builder.ts";
import { unpackColumns } from "../../../../src/core/clicks/encoding/click-batch.ts";
import { ClickQueue, type QueuedBatch } from "../../../../src/core/clicks/protocol/click-queue.ts";
import type { NewClick } from "../../../../src/core/clicks/facts.ts";
import { numberAt, VISITOR_BYTES } from "../../../../src/core/clicks/encoding/column-encoding.ts";
import type { LinkSnapshot } from "../../../../src/core/links/link-snapshot.ts";
import { VisitorHashes, type VisitorSalt } from "../../../../src/core/visitors/visitor-hashes.ts";
import { newClick } from "../../../support/pack-clicks.ts";

const DAY_MS = 86_400_000;
const DAY = 20_000;
const NOON = DAY * DAY_MS + DAY_MS / 2;
const LINK = {
  id: "lnk_1",
  accountId: "acc_1",
  mode: "live",
  revision: 1,
  url: "",
  routing: [],
} as unknown as LinkSnapshot;
const OTHER_LINK = { ...LINK, id: "lnk_2" };
const SALT: VisitorSalt = { day: DAY, salt: new Uint8Array(16).fill(1) };
const NEXT_SALT: VisitorSalt = { day: DAY + 1, salt: new Uint8Array(16).fill(2) };

function visitBy(network: string | null, at = NOON): NewClick {
  const click = newClick({ at, class: "human", qr: "", rule: "" });
  return { ...click, visitor: { network, userAgentDigest: 5 } };
}

function queueOf(hashes: VisitorHashes | null): ClickQueue {
  let ids = 0;
  return new ClickQueue(() => ++ids, hashes);
}

function visitorsIn(sent: QueuedBatch | null): number[] | null {
  if (!sent) throw new Error("no batch");
  const { visitors } = unpackColumns(sent.batch.clicks.columns);
  return visitors && Array.from({ length: sent.batch.clicks.count }, (_, i) => numberAt(visitors, VISITOR_BYTES, i));
}

function hashesWith(...salts: VisitorSalt[]): VisitorHashes {
  const hashes = new VisitorHashes();
  hashes.learn(salts);
  return hashes;
}

function hashOf(network: string, day = DAY): number {
  return hashesWith(SALT, NEXT_SALT).hash(LINK, day, network, 5) ?? NaN;
}

test("14 a visitor has one value on all links of an account, another visitor another", () => {
  const values = [LINK, OTHER_LINK].map((link) => {
    const queue = queueOf(hashesWith(SALT));
    for (const network of ["192.0.2.1", "192.0.2.2", "192.0.2.1"]) queue.add(link, 0, visitBy(network));
    return visitorsIn(queue.next());
  });
  expect(values[0]).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.2"), hashOf("192.0.2.1")]);
  expect(values[1]).toEqual(values[0]);
});

test("14 clicks that arrive before the salt get the same values when the batch is packed", () => {
  const hashes = new VisitorHashes();
  const queue = queueOf(hashes);
  expect(queue.missingSaltDay).toBeNull();
  queue.add(LINK, 0, visitBy("192.0.2.1"));
  queue.add(LINK, 0, visitBy(null));
  expect(queue.missingSaltDay).toBe(DAY);
  hashes.learn([SALT]);
  expect(queue.missingSaltDay).toBeNull();
  queue.add(LINK, 0, visitBy("192.0.2.2"));
  expect(visitorsIn(queue.next())).toEqual([hashOf("192.0.2.1"), 0, hashOf("192.0.2.2")]);
});

test("14 around midnight each click has the value of its day", () => {
  const hashes = hashesWith(SALT);
  const queue = queueOf(hashes);
  const midnight = (DAY + 1) * DAY_MS;
  queue.add(LINK, 0, visitBy("192.0.2.1", midnight - 1));
  queue.add(LINK, 0, visitBy("192.0.2.1", midnight));
  expect(queue.missingSaltDay).toBe(DAY + 1);
  hashes.learn([NEXT_SALT]);
  const [first, second] = visitorsIn(queue.next()) ?? [];
  expect([first, second]).toEqual([hashOf("192.0.2.1"), hashOf("192.0.2.1", DAY + 1)]);
  expect(first).not.toBe(second);
});

test("14 a visitor without an address, without a salt or where visitors are not distinguished is unknown", () => {
  const sent = [hashesWith(SALT), new VisitorHashes(), null].map((hashes, i) => {
    const queue = queueOf(hashes);
    queue.add(LINK, 0, visitBy(i === 0 ? null : "192.0.2.1"));
    return visitorsIn(queue.next());
  });
  expect(sent).toEqual([null, null, null]);
});

test("14 a batch that was sent stays unchanged, even if its salt arrives later", () => {
  const hashes = new VisitorHashes();
  const queue = queueOf(hashes);
  queue.add(LINK, 0, visitBy("192.0.2.1"));
  const sent = queue.next();
  hashes.learn([SALT]);
  expect(queue.missingSaltDay).toBeNull();
  expect(queue.next()).toBe(sent);
  expect(visitorsIn(sent)).toBeNull();
});

test("data that waits for its salt counts as memory, at most that of one batch", () => {
  const waiting = new BatchBuilder({ hashes: new VisitorHashes(), owner: LINK });
  const hashed = new BatchBuilder({ hashes: hashesWith(SALT), owner: LINK });
  let clicks = 0;
  for (; !waiting.isFull; clicks++) for (const batch of [waiting, hashed]) batch.add(visitBy("2001:db8:1:2"));
  const perClick = (waiting.bytes - hashed.bytes) / clicks;
  expect(perClick).toBeGreaterThan(150);
  expect(waiting.bytes).toBeLessThan(2 * 1024 * 1024);
});
