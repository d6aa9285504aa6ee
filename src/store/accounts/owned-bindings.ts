/**
 * How each binding that stores data is erased when an account is closed. The type lists the bindings of wrangler.toml,
 * so a new Durable Object class, bucket or database without an entry fails to compile.
 */
import { eraseAccountClicks } from "../account-object-client.ts";
import { eraseFeeds } from "../feed-object-client.ts";
import { eraseAccountRows } from "./owned-tables.ts";

type StorageBinding = {
  [Name in keyof Env]-?: Required<Env>[Name] extends DurableObjectNamespace | R2Bucket | D1Database | KVNamespace
    ? Name
    : never;
}[keyof Env];

/** Erases part of an account's data. Idempotent. @returns whether nothing is left */
type Erase = (env: Env, accountId: string) => Promise<boolean>;

/** The eraser of each binding, or the reason why there is nothing to erase. */
const OWNED_BINDINGS: Readonly<Record<StorageBinding, Erase | string>> = {
  DB: eraseAccountRows,
  ACCOUNT_FEED: async (env, accountId) => {
    await eraseFeeds(env, accountId);
    return true;
  },
  ACCOUNT_CLICKS: async (env, accountId) => {
    await eraseAccountClicks(env, accountId);
    return true;
  },
  LINK_CLICKS: "erased with the account's links, chunk by chunk, before all of this (closed-accounts.ts)",
  QR_IMAGES: "images stay: printed codes are public, and an image tells no more than the link's address",
  IMAGE_OBJECTS: "what stands in for QR_IMAGES: images stay",
  MAINTENANCE: "stores counts of the whole deployment, and on which days there were salts",
  VISITOR_SALTS: "salts are those of all accounts, and erased after two days",
  SERVICE: "stores nothing",
};

/** @returns whether nothing is left; otherwise the caller calls again */
export async function eraseOwnedData(env: Env, accountId: string): Promise<boolean> {
  for (const erase of Object.values(OWNED_BINDINGS)) {
    if (typeof erase === "function" && !(await erase(env, accountId))) return false;
  }
  return true;
}
