import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { LINK_ID_RANDOM_WORDS, linkIdStem } from "../../../src/core/identifiers.ts";
import {
  BUCKETS,
  bucketOf,
  bucketOfAddress,
  bucketOfId,
  bucketText,
  linkIdOf,
} from "../../../src/core/links/buckets.ts";
import { anyCaseSlug, conflictingSlugs, exactSlug } from "../../../src/core/hosts.ts";

const slug = fc.stringMatching(/^[0-9A-Za-z_-]{1,64}$/);
const domain = fc.constantFrom("hop.example", "hop.example/t", "go.acme.example", "localhost:8787");

describe("buckets", () => {
  // Existing links have these buckets in their ids.
  test.each([
    ["hop.example", "a", 949],
    ["hop.example", "spring-sale", 358],
    ["hop.example/t", "a", 561],
    ["go.acme.example", "promo", 7],
  ])("%s/%s is permanently in bucket %i", (of, name, bucket) => {
    expect(bucketOfAddress(of, name)).toBe(bucket);
    expect(bucketOf({ domain: of, slug: name })).toBe(bucket);
    expect(bucketOf({ id: `lnk_${bucketText(bucket)}`, domain: of, slug: "other" })).toBe(bucket);
  });

  test("property: all spellings of a slug, in both stored forms, share a bucket", () => {
    fc.assert(
      fc.property(domain, slug, (of, typed) => {
        const bucket = bucketOfAddress(of, typed);
        expect(bucket).toBeGreaterThanOrEqual(0);
        expect(bucket).toBeLessThan(BUCKETS);
        for (const same of [
          typed.toUpperCase(),
          typed.toLowerCase(),
          exactSlug(typed),
          exactSlug(typed.toUpperCase()),
        ]) {
          expect(bucketOfAddress(of, same)).toBe(bucket);
        }
        expect(bucketOfAddress(of, conflictingSlugs(exactSlug(typed)).from)).toBe(bucket);
      }),
    );
  });

  test("property: the first segment decides, regardless of the case of all segments and of how the slug is stored", () => {
    fc.assert(
      fc.property(domain, fc.array(slug, { minLength: 1, maxLength: 16 }), (of, segments) => {
        const [first = ""] = segments;
        const path = segments.join("/");
        for (const same of [path, `${first.toUpperCase()}/x`, exactSlug(path), exactSlug(path.toUpperCase())]) {
          expect(bucketOfAddress(of, same)).toBe(bucketOfAddress(of, first));
        }
      }),
    );
  });

  test("the first segment is folded in every script", () => {
    const bucket = bucketOfAddress("hop.example", "grösse");
    for (const typed of ["Größe", "GRÖSSE/a", "gro\u0308ße/B/c"])
      for (const stored of [anyCaseSlug(typed), exactSlug(typed)])
        expect(bucketOfAddress("hop.example", stored)).toBe(bucket);
  });

  test("property: an id leads to the bucket of its address, whatever its random part", () => {
    const words = fc.uint32Array({ minLength: LINK_ID_RANDOM_WORDS, maxLength: LINK_ID_RANDOM_WORDS });
    fc.assert(
      fc.property(domain, slug, words, (of, typed, random) => {
        const id = linkIdOf(linkIdStem(Date.UTC(2026, 10, 22), random), of, typed);
        expect(id).toMatch(/^lnk_[0-9a-hjkmnp-tv-z]{26}$/);
        expect(bucketOfId(id)).toBe(bucketOfAddress(of, typed));
      }),
    );
  });

  test("each bucket has its own text, and any text as an id belongs to a bucket", () => {
    const texts = Array.from({ length: BUCKETS }, (_, bucket) => bucketText(bucket));
    expect(texts.map((text) => bucketOfId(`lnk_${text}`))).toEqual(texts.map((_, bucket) => bucket));
    for (const id of ["", "x", "lnk_", "..", "ÿ\u{1F600}", "UU"]) {
      expect(bucketOfId(id)).toBeGreaterThanOrEqual(0);
      expect(bucketOfId(id)).toBeLessThan(BUCKETS);
    }
  });

  test("a hundred thousand similar slugs fill all buckets evenly", () => {
    const counts = new Uint32Array(BUCKETS);
    for (let i = 0; i < 100_000; i++) {
      const bucket = bucketOfAddress("hop.example", `campaign-${i}`);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    const mean = 100_000 / BUCKETS;
    expect(Math.max(...counts)).toBeLessThan(mean * 1.6);
    expect(Math.min(...counts)).toBeGreaterThan(mean * 0.5);
  });
});
