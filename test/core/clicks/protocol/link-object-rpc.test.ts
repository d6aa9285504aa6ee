import { expect, test } from "vitest";

import { clickPage, type ListedClick } from "../../../../src/core/clicks/protocol/link-object-rpc.ts";

const CLICK: ListedClick = {
  position: 0,
  at: 0,
  class: "human",
  revision: 1,
  country: "",
  continent: "",
  region: "",
  city: "",
  device: "",
  os: "",
  browser: "",
  language: "",
  referrer: "",
  utm_source: "newsletter",
  utm_medium: "email",
  utm_campaign: "spring",
  utm_term: "shoes",
  utm_content: "banner",
  qr: "",
  rule: "",
  destination: "",
};

test.each([
  ["as many as are asked for", 100, 3, 3],
  ["all there are", 2, 3, 2],
  ["those that have a mebibyte as JSON", 1024, 2_000, 1_024],
  ["one fewer, if each has a character more", 1025, 2_000, 1_023],
])("a page of clicks holds %s", (_name, chars, limit, taken) => {
  const blank = JSON.stringify(CLICK).length;
  const click = { ...CLICK, destination: "x".repeat(Math.max(0, chars - blank)) };
  const clicks = Array.from({ length: chars === 2 ? 2 : 1_500 }, () => click);
  expect(clickPage(clicks, limit)).toHaveLength(taken);
});
