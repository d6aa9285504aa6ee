/** 4.6, 6 The live stream: what a client gets, and what it never gets. */
import { expect, test } from "vitest";

import { premiumAccount, visit } from "../support/actors.ts";
import { listen } from "../support/streams.ts";

test("4.6 a click on a link is an event of its stream and of the account's", async () => {
  const ann = await premiumAccount();
  const link = await ann.createLink();
  const own = await listen(ann, { link_id: link.id });
  const all = await listen(ann);
  await visit(link.short_url, { country: "DE" });
  await visit(link.short_url, { country: "FR" });
  expect((await own.clicked(2)).map(({ country }) => country)).toEqual(["DE", "FR"]);
  expect((await all.clicked(2)).map(({ country }) => country)).toEqual(["DE", "FR"]);
  await own.leave();
  await all.leave();
});
