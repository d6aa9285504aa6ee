import { expect, test } from "vitest";

import { readUpTo } from "../../../src/core/http/bounded-body.ts";

test.each([
  [3, "abc", 3],
  [2, null, 3],
  [0, null, 1],
])("up to %i bytes of three are read as %j, from %i chunks", async (maxBytes, text, chunks) => {
  let begun = 0;
  const body = function* () {
    // A source may reuse its buffer.
    const buffer = new Uint8Array(1);
    while (begun < 3) yield buffer.fill(97 + begun++);
  };
  const read = await readUpTo(maxBytes, body());
  expect([read && (await read.text()), begun]).toEqual([text, chunks]);
  expect((await readUpTo(0, []))?.size).toBe(0);
});
