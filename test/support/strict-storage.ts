/**
 * Objects refuse a text or blob of more than 2 MB, as on Cloudflare; workerd accepts 5 MB
 * (https://developers.cloudflare.com/durable-objects/platform/limits/).
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

const VALUE_MAX_BYTES = 2_000_000;
const isStrict = Symbol.for("strict storage");

await runInDurableObject(env.IMAGE_OBJECTS.getByName("strict storage"), (_, { storage }) => {
  const prototype = Object.getPrototypeOf(storage.sql) as SqlStorage & { [isStrict]?: true };
  // Files that share an isolate share it.
  if (prototype[isStrict]) return;
  prototype[isStrict] = true;
  const { exec } = prototype;
  prototype.exec = function strict<T extends Record<string, SqlStorageValue>>(sql: string, ...values: unknown[]) {
    if (values.some((value) => sizeOf(value) > VALUE_MAX_BYTES))
      throw new Error("string or blob too big: SQLITE_TOOBIG");
    return exec.call(this, sql, ...values) as SqlStorageCursor<T>;
  };
});

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0;
}
