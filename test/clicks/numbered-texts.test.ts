/** Numbered texts of clicks: which of them are kept in memory. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { NumberedTexts } from "../../src/clicks/account/numbered-texts.ts";

test("14 the memory for numbered texts is bounded by the length of the texts", async () => {
  const object = env.LINK_CLICKS.getByName("numbered-texts.example/object");
  await runInDurableObject(object, (_, { storage: { sql } }) => {
    let queries = 0;
    const counted = new Proxy(sql, {
      get: (target, name) => (name === "exec" && queries++, Reflect.get(target, name).bind(target)),
    });
    const texts = new NumberedTexts(counted, "rule", 1);
    texts.create();
    const long = (n: number) => `${n} ${"x".repeat(8_000)}`;
    const isRemembered = (n: number) => {
      queries = 0;
      expect(texts.find(long(n))).toBe(n + 1);
      return queries === 0;
    };
    for (let n = 0; n < 600; n++) texts.numberOf(long(n));
    texts.save();
    expect([isRemembered(599), isRemembered(0)]).toEqual([true, false]);
  });
});
