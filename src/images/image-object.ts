/**
 * Stores QR code images if the deployment has no R2 bucket. Image names are distributed over a few such objects. Once a
 * bucket is bound, alarms move the images there, each copied before it is deleted.
 */
import { DurableObject } from "cloudflare:workers";

import { backoffMs } from "../core/retries.ts";
import { hexOf, joinedBytes } from "../core/encoding/bytes.ts";
import { hasCurrentEtag } from "../core/http/entity-tags.ts";
import { bucketImages, imageBucket, type StoredImage } from "../store/images/images.ts";

/** A row can have 2 MB. */
const PART_BYTES = 1_000_000;
/** Each move is one subrequest. */
const MOVES_PER_ALARM = 20;

type Kept = StoredImage & { body: Uint8Array<ArrayBuffer> | null };

export class ImageObject extends DurableObject<Env> {
  #failures = 0;

  /** @returns false when an image with that name exists, which then stays unchanged */
  async put(name: string, image: Uint8Array): Promise<boolean> {
    const bytes = new Uint8Array(image);
    const etag = await md5Tag(bytes);
    const { sql } = this.ctx.storage;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS images (
         name TEXT, part INTEGER, etag TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (name, part)) STRICT`,
    );
    if (this.#partsOf(name).length > 0) return false;
    for (let part = 0; part * PART_BYTES < bytes.length; part++) {
      const content = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
      sql.exec("INSERT INTO images (name, part, etag, bytes) VALUES (?, ?, ?, ?)", name, part, etag, content.buffer);
    }
    return true;
  }

  async get(name: string, ifNoneMatch: string | null): Promise<Kept | null> {
    const parts = this.#partsOf(name);
    const [first] = parts;
    if (!first) return null;
    await this.moveToBucket();
    const bytes = joinedBytes(parts.map((part) => new Uint8Array(part.bytes)));
    const isCurrent = ifNoneMatch !== null && hasCurrentEtag(ifNoneMatch, first.etag);
    return { etag: first.etag, size: bytes.length, body: isCurrent ? null : bytes };
  }

  async delete(names: readonly string[]): Promise<void> {
    if (!this.#hasTable()) return;
    for (const name of names) this.ctx.storage.sql.exec("DELETE FROM images WHERE name = ?", name);
  }

  async count(): Promise<number> {
    if (!this.#hasTable()) return 0;
    return this.ctx.storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM images WHERE part = 0").one().n;
  }

  /** Starts moving all images, if there is a bucket and an image. */
  async moveToBucket(): Promise<void> {
    if (!imageBucket(this.env) || this.#names(1).length === 0) return;
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    try {
      await this.#moveSome();
      this.#failures = 0;
      await this.moveToBucket();
    } catch (error) {
      console.error("images not moved", { error: String(error) });
      await this.ctx.storage.setAlarm(Date.now() + backoffMs(++this.#failures, Math.random()));
    }
  }

  async #moveSome(): Promise<void> {
    const bucket = imageBucket(this.env);
    if (!bucket) return;
    for (const name of this.#names(MOVES_PER_ALARM)) {
      // The bucket refuses an existing name: an earlier run copied the image and ended before deleting it.
      const parts = this.#partsOf(name).map(({ bytes }) => new Uint8Array(bytes));
      await bucketImages(bucket).put(name, joinedBytes(parts));
      this.ctx.storage.sql.exec("DELETE FROM images WHERE name = ?", name);
    }
  }

  #names(limit: number): string[] {
    if (!this.#hasTable()) return [];
    return this.ctx.storage.sql
      .exec<{ name: string }>("SELECT name FROM images WHERE part = 0 LIMIT ?", limit)
      .toArray()
      .map(({ name }) => name);
  }

  #partsOf(name: string): { etag: string; bytes: ArrayBuffer }[] {
    if (!this.#hasTable()) return [];
    return this.ctx.storage.sql
      .exec<{ etag: string; bytes: ArrayBuffer }>("SELECT etag, bytes FROM images WHERE name = ? ORDER BY part", name)
      .toArray();
  }

  /** Reading must not write: an object that never had an image is not billed for storage. */
  #hasTable(): boolean {
    return this.ctx.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'images'").toArray().length > 0;
  }
}

/** Computed as in R2, so that a browser's copy stays current when the image moves. */
async function md5Tag(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("MD5", bytes));
  return `"${hexOf(digest)}"`;
}
