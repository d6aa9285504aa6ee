import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";

import { unpackColumns, valueAt } from "../../../../src/core/clicks/encoding/click-batch.ts";
import { mapFacts, type NewClick } from "../../../../src/core/clicks/facts.ts";
import { ClickQueue, type QueuedBatch } from "../../../../src/core/clicks/protocol/click-queue.ts";
import type { LinkSnapshot } from "../../../../src/core/links/link-snapshot.ts";
import { UNKNOWN_SPLIT } from "../../../../src/core/visitors/split.ts";

const BATCH_MAX_CLICKS = 4_096;

const LINK = { id: "lnk_1", revision: 1, url: "https://example.com/", routing: [] } as unknown as LinkSnapshot;

function clickOf(name: string, at = 0): NewClick {
  const facts = { ...mapFacts(() => null), country: "DE", device: "mobile", os: "ios", browser: "safari" };
  const visit = { ...facts, at, class: "human", referrer: name, split: UNKNOWN_SPLIT } as const;
  return { visit, rule: null, qr: null, query: "", visitor: 0 };
}

function newQueue(): ClickQueue {
  let ids = 0;
  return new ClickQueue(() => ++ids);
}

function namesIn({ batch }: QueuedBatch): string[] {
  const { referrer } = unpackColumns(batch.clicks.columns);
  return Array.from({ length: batch.clicks.count }, (_, i) => valueAt(referrer, i));
}

/** Empties the queue and returns its batches. */
function drain(queue: ClickQueue): QueuedBatch[] {
  const batches: QueuedBatch[] = [];
  for (let next = queue.next(); next; next = queue.next()) {
    batches.push(next);
    queue.remove(next);
  }
  return batches;
}

test("a batch that was sent stays unchanged; later clicks form one batch", () => {
  const queue = newQueue();
  queue.add(LINK, 0, clickOf("a"));
  const sent = queue.next();
  const content = sent && namesIn(sent);
  for (const name of ["b", "c", "d"]) {
    queue.add(LINK, 0, clickOf(name));
    expect(queue.next()).toBe(sent);
  }
  expect(content).toEqual(["a"]);
  expect(queue.count).toBe(4);
  expect(drain(queue).map(namesIn)).toEqual([["a"], ["b", "c", "d"]]);
});

test("a batch that two senders have in flight is removed once", () => {
  const queue = newQueue();
  queue.add(LINK, 0, clickOf("a"));
  const sent = queue.next();
  if (!sent) throw new Error("no batch");
  queue.add(LINK, 0, clickOf("b"));
  queue.remove(sent);
  queue.remove(sent);
  expect(drain(queue).map(namesIn)).toEqual([["b"]]);
});

test("batches are as large as allowed", () => {
  const queue = newQueue();
  for (let i = 0; i < 2.5 * BATCH_MAX_CLICKS; i++) queue.add(LINK, 0, clickOf("a"));
  expect(drain(queue).map(({ batch }) => batch.clicks.count)).toEqual([4_096, 4_096, 2_048]);
});

test("clicks under another revision go in a separate batch; the same revision read again is not another", () => {
  const queue = newQueue();
  const [again, second, other] = [{ ...LINK }, { ...LINK, revision: 2 }, { ...LINK, id: "lnk_2" }];
  for (const link of [LINK, again, second, second, other]) queue.add(link, 0, clickOf("a"));
  expect(drain(queue).map(({ link, batch }) => [link.id, batch.revision, batch.clicks.count])).toEqual([
    ["lnk_1", 1, 2],
    ["lnk_1", 2, 2],
    ["lnk_2", 1, 1],
  ]);
});

test("property: every click is sent once and in order, in any sequence of calls, and all memory is freed in the end", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("click" as const), revision: fc.constantFrom(1, 1, 1, 2) }),
    fc.record({ kind: fc.constantFrom("try" as const, "acknowledge" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = newQueue();
      const links = [1, 2].map((revision) => ({ ...LINK, revision, url: "x".repeat(revision * 100) }));
      const nothing = queue.bytes;
      const left: string[] = [];
      let clicks = 0;
      for (const { kind, ...rest } of steps) {
        const link = "revision" in rest ? links[rest.revision - 1] : undefined;
        if (link) queue.add(link, 0, clickOf(String(clicks++)));
        const next = kind === "click" ? null : queue.next();
        if (next && kind === "acknowledge") {
          left.push(...namesIn(next));
          queue.remove(next);
        }
        expect(queue.count).toBe(clicks - left.length);
      }
      left.push(...drain(queue).flatMap(namesIn));
      expect(left).toEqual(Array.from({ length: clicks }, (_, i) => String(i)));
      expect([queue.count, queue.bytes]).toEqual([0, nothing]);
    }),
  );
});

const SHAPES: [what: string, queues: number, clicks: number, referrer: (click: number) => string][] = [
  ["lone clicks", 10_000, 1, (i) => `site-${i}.example`],
  ["batches of 100, one host", 500, 100, () => "site.example"],
  ["batches of 100, as many hosts", 500, 100, (i) => `site-${i}.example`],
  ["full batches, as many hosts", 10, 2 * BATCH_MAX_CLICKS - 1, (i) => `site-${i}.example`],
];

test.for(SHAPES)("%s hold no more memory than the queue reports, and not much less", ([, queues, clicks, referrer]) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // The garbage of earlier tests takes more than one collection to go.
  const held = (last = Infinity): number => {
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const bytes = heapUsed + arrayBuffers;
    return bytes < last ? held(bytes) : last;
  };
  const all = Array.from({ length: queues }, newQueue);
  const before = held();
  for (const queue of all) {
    // Separate strings: a shared string is held once.
    for (let i = 0; i < clicks; i++) queue.add(LINK, 0, clickOf(structuredClone(referrer(i))));
  }
  const bytes = held() - before;
  const said = all.reduce((sum, queue) => sum + queue.bytes, 0);
  expect(said / bytes).toBeGreaterThan(0.95);
  expect(said / bytes).toBeLessThan(2.5);
});

test("a click costs no more when hundreds of thousands wait", () => {
  const micros = (work: () => void) => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const long = newQueue();
  for (let i = 0; i < 300_000; i++) long.add(LINK, 0, clickOf("a"));
  const times = [1, 2, 3, 4, 5, 6].map(() => {
    const short = newQueue();
    const add = (queue: ClickQueue) => () => {
      for (let i = 0; i < 20_000; i++) queue.add(LINK, 0, clickOf("a"));
    };
    return { short: micros(add(short)), long: micros(add(long)) };
  });
  const best = (of: "short" | "long") => Math.min(...times.map((time) => time[of]));
  expect(best("long") / best("short")).toBeLessThan(3);
});

test("reports whether a batch waits that accepts no more clicks", () => {
  const queue = newQueue();
  expect(queue.hasPacked).toBe(false);
  queue.add(LINK, 0, clickOf("a"));
  expect(queue.hasPacked).toBe(false);
  const sent = queue.next();
  expect(queue.hasPacked).toBe(true);
  if (sent) queue.remove(sent);
  expect(queue.hasPacked).toBe(false);
});

test("a batch contains the start of the feed's period as of its last click, and none without subscribers", () => {
  const queue = newQueue();
  queue.add(LINK, 0, clickOf("a"));
  queue.next();
  queue.add(LINK, 0, clickOf("b"));
  queue.add(LINK, 1, clickOf("c"));
  const [first, second] = drain(queue);
  expect(first?.batch).not.toHaveProperty("feedSince");
  expect(second?.batch).toMatchObject({ feedSince: 1 });
});

test.each([
  ["the same snapshot", LINK, 1],
  ["another snapshot of the same revision", { ...LINK }, 1],
  ["another revision", { ...LINK, revision: 2 }, 2],
  ["another link of the same revision", { ...LINK, id: "lnk_2" }, 2],
])("clicks on %s", (_name, link, batches) => {
  const queue = newQueue();
  queue.add(LINK, 0, clickOf("a"));
  queue.add(link, 0, clickOf("b"));
  expect(drain(queue)).toHaveLength(batches);
});

test("memory: a batch is its bytes and 600 more, and a shared snapshot counts once", () => {
  const queue = newQueue();
  const snapshot = 500 + 2 * LINK.url.length;
  queue.add(LINK, 0, clickOf("a"));
  queue.add(LINK, 0, clickOf("a", 300));
  const sent = queue.next();
  // Format, count, number of fields, 10 sizes, and the values of the columns with a line end between; two bytes for the
  // time.
  const packed = 600 + 3 + 10 + "h|DE||||mobile|ios|safari||a".length + 2;
  expect(queue.bytes).toBe(snapshot + packed);
  queue.add(LINK, 0, clickOf("b"));
  const withOpen = queue.bytes;
  expect(withOpen).toBeGreaterThan(snapshot + packed);
  if (sent) queue.remove(sent);
  expect(queue.bytes).toBe(withOpen - packed);
  const last = queue.next();
  if (last) queue.remove(last);
  expect([queue.bytes, queue.count]).toEqual([0, 0]);
});

test("removing a batch that is already gone changes nothing", () => {
  const queue = newQueue();
  queue.add(LINK, 0, clickOf("a"));
  const first = queue.next();
  queue.add(LINK, 0, clickOf("b"));
  if (first) queue.remove(first);
  const second = queue.next();
  const { bytes, count } = queue;
  if (first) queue.remove(first);
  expect([queue.bytes, queue.count, queue.next()]).toEqual([bytes, count, second]);
});
