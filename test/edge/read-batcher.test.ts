/** Database reads of an isolate: each key once, in bounded queries. Time is virtual, and the database is a stub. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { type ReadResult, ReadBatcher } from "../../src/edge/read-batcher.ts";
import { VirtualTime } from "../support/virtual-time.ts";

/** Maximum number of keys in a batch, and of waiting batches. */
const [KEYS_MAX, WAITING_MAX] = [50, 20];
/** All queries end within the lease of a leader, whose renewal does not follow the virtual clock. */
const QUERY_MS = 5;

const ctx = { waitUntil: () => {} } as unknown as ExecutionContext;

let time: VirtualTime;
/** The names in each query. */
let queries: string[][];

beforeEach(() => {
  time = new VirtualTime();
  queries = [];
});

afterEach(() => {
  time.restore();
});

/** One query at a time, which finds all names. */
function reads(): ReadBatcher<{ name: string }, string> {
  return new ReadBatcher(1, async (_, keys) => {
    queries.push(keys.map(({ name }) => name));
    await time.sleep(QUERY_MS);
    const found = new Map(keys.map(({ name }) => [name, `answer to ${name}`]));
    return { found, isFromPrimary: true };
  });
}

const found = ({ found }: ReadResult<string>) => found;

test("a key that was read is not read again with the keys that wait after it", async () => {
  const database = reads();
  const ask = async (name: string) => found(await database.read(env, ctx, { name }, Infinity));
  const first = [ask("a"), ask("b"), ask("c")];
  await time.advance(QUERY_MS + 1);
  const second = [ask("d"), ask("e")];
  await time.advance(3 * QUERY_MS);
  const answers = await Promise.all([...first, ...second]);
  expect(answers).toEqual(["a", "b", "c", "d", "e"].map((name) => `answer to ${name}`));
  expect(queries).toEqual([["a"], ["b", "c"], ["d", "e"]]);
});

test("a miss is certain if the query began after the read, but not if it was already running", async () => {
  const database = new ReadBatcher<{ name: string }, string>(1, async () => {
    await time.sleep(QUERY_MS);
    return { found: new Map(), isFromPrimary: true };
  });
  const ask = () => database.readOrJoin(env, ctx, { name: "a" }, Infinity);
  const leads = ask();
  await time.advance(1);
  const joins = ask();
  await time.advance(QUERY_MS);
  expect(await Promise.all([leads, joins])).toMatchObject([
    { found: null, isCertain: true },
    { found: null, isCertain: false },
  ]);
});

test("a read that waits too long is rejected, whether it leads its query or not", async () => {
  const database = new ReadBatcher<{ name: string }, string>(1, () => new Promise(() => {}));
  const ask = () => database.read(env, ctx, { name: "a" }, performance.now() + 300);
  const waits = Promise.allSettled([ask(), ask()]);
  for (let i = 0; i < 10; i++) await time.advance(100);
  await vi.waitFor(async () => expect(await Promise.race([waits, null])).not.toBeNull(), { timeout: 5_000 });
  expect((await waits).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("when all batches are full, a new read is refused, and earlier reads are answered", async () => {
  const database = reads();
  const ask = async (name: string) => found(await database.read(env, ctx, { name }, Infinity));
  const askMany = (count: number) => Array.from({ length: count }, (_, i) => ask(`${i}`));
  // One query is running. The last read that waits for the next one is answered while all batches are full.
  const asked = [ask("first"), ask("leads"), ask("follows")];
  await time.advance(QUERY_MS + 1);
  asked.push(...askMany(WAITING_MAX * KEYS_MAX));
  await expect(ask("one too many")).rejects.toThrow("too many reads");
  await time.advance((WAITING_MAX + 2) * QUERY_MS);
  const answers = await Promise.allSettled(asked);
  expect(answers.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(queries).toHaveLength(2 + WAITING_MAX);
});
