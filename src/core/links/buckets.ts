/**
 * Buckets distribute the directory of links over databases. A link's bucket follows from its address and never changes;
 * its id contains it, so that address and id lead to the same database. Pure.
 */
import { BASE32_ALPHABET, encodeBase32 } from "../identifiers.ts";
import { slugKey } from "../hosts.ts";
import { hash32 } from "../visitors/split.ts";

/** Binding of the home database: accounts, keys, domains. It may also have links. */
export const HOME_DATABASE = "DB";

/** Ten bits: two characters of an id. */
export const BUCKETS = 1024;
const BUCKET_CHARS = 2;

/**
 * Determined by the first segment of a stored slug, folded on every domain. So slugs that visitors could confuse, and
 * all that a path may lead to, are in one database, whose index decides who holds an address.
 */
export function bucketOfAddress(domain: string, slug: string): number {
  const [segment = ""] = slugKey(slug).split("/", 1);
  // Without a finalizer, texts that differ at their end would share their upper bits.
  return hash32(`${domain}/${segment}`) >>> 22;
}

/** @param id  of a link; any other text also gives a bucket, which contains no such link @internal */
export function bucketOfId(id: string): number {
  const [high, low] = [id.at(-2), id.at(-1)].map((character) => BASE32_ALPHABET.indexOf(character ?? ""));
  return Math.max(high ?? 0, 0) * BASE32_ALPHABET.length + Math.max(low ?? 0, 0);
}

/** The bucket of a link, by its id or by an address that may not have a link yet. */
export function bucketOf(link: { id: string } | { domain: string; slug: string }): number {
  return "id" in link ? bucketOfId(link.id) : bucketOfAddress(link.domain, link.slug);
}

/** A bucket in the form in which it ends an id. */
export function bucketText(bucket: number): string {
  return encodeBase32(bucket, BUCKET_CHARS);
}

/** @param stem  from `linkIdStem` */
export function linkIdOf(stem: string, domain: string, slug: string): string {
  return stem + bucketText(bucketOfAddress(domain, slug));
}
