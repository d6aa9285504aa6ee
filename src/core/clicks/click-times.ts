/** The times of a batch's clicks: its first, epoch ms, then ms from each to the next as varints. Pure. */
import type { PackedClicks } from "./click-batch.ts";
import { ByteReader, ByteWriter } from "./varint-bytes.ts";

type BatchTimes = Pick<PackedClicks, "at" | "count" | "times">;

/** @returns null when all are at the same time */
export function packTimes(times: readonly number[]): Uint8Array | null {
  if (times[0] === times.at(-1)) return null;
  const bytes = new ByteWriter();
  for (let i = 1; i < times.length; i++) bytes.varint((times[i] ?? 0) - (times[i - 1] ?? 0));
  return bytes.toBytes();
}

/** Absolute times, never falling. */
export function unpackTimes({ at, count, times }: BatchTimes): number[] {
  const reader = times && new ByteReader(times);
  const absolute = [at];
  for (let i = 1, last = at; i < count; i++) absolute.push((last += reader ? reader.varint() : 0));
  return absolute;
}

export function lastTime({ at, times }: BatchTimes): number {
  const reader = times && new ByteReader(times);
  let last = at;
  while (reader && !reader.done) last += reader.varint();
  return last;
}

/** Raises times before `floor` to it. */
export function clampTimes(batch: PackedClicks, floor: number): PackedClicks {
  if (batch.at >= floor) return batch;
  const times = unpackTimes(batch).map((at) => Math.max(at, floor));
  return { ...batch, at: floor, times: packTimes(times) };
}

/** The times of visits before `clampTimes` raised them, as they are stored beside the raised ones. */
export function packVisitTimes({ at, times }: BatchTimes, raised: BatchTimes): Uint8Array {
  const bytes = new ByteWriter();
  bytes.varint(raised.at - at);
  if (times) bytes.bytes(times);
  return bytes.toBytes();
}

/** @param raised  the batch as stored @param packed  by `packVisitTimes` */
export function unpackVisitTimes({ at, count }: BatchTimes, packed: Uint8Array): number[] {
  const reader = new ByteReader(packed);
  const first = at - reader.varint();
  const times = reader.done ? null : reader.bytes(packed.length);
  return unpackTimes({ at: first, count, times });
}
