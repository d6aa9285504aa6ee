import { expect, test } from "vitest";

import * as images from "../../../src/core/images/image-names.ts";

const ID = "0z".repeat(13);

test.each([
  ["qr_", "png", "image/png"],
  ["qr_", "svg", "image/svg+xml"],
  ["img_", "png", "image/png"],
  ["img_", "jpg", "image/jpeg"],
  ["img_", "webp", "image/webp"],
] as const)("%s with the end %s is a name of %s", (prefix, format, type) => {
  const name = images.imageName({ id: prefix + ID, format });
  expect(name).toBe(`${prefix}${ID}.${format}`);
  expect([images.isImageName(name), images.imageType(name)]).toEqual([true, type]);
  expect(images.socialImageName(`https://any.example/a/b/${name}`)).toBe(prefix === "img_" ? name : null);
  for (const host of ["http://localhost", "http://localhost:8787"])
    expect(images.isLocalImage(`${host}/cdn/${name}`)).toBe(prefix === "img_");
});

test.each([
  `qr_${ID}.jpg`,
  `img_${ID}.svg`,
  `img_${ID}png`,
  `img_${ID.slice(1)}.png`,
  `img_${ID}0.png`,
  `img_${ID.toUpperCase()}.png`,
  `xqr_${ID}.png`,
  `qr_${ID}.png/`,
  `img_${ID}.png?a`,
])("%s is no image", (name) => {
  const urls = ["http://localhost/cdn", "https://any.example"].map((place) => `${place}/${name}`);
  expect([name, ...urls].some(images.isImageName)).toBe(false);
  expect(urls.map(images.socialImageName)).toEqual([null, null]);
  expect(urls.some(images.isLocalImage)).toBe(false);
});

test.each([
  "https://localhost",
  "https://a.example/http://localhost",
  "http://localhost.example",
  "http://localhost:x",
])("%s is not local", (host) => {
  expect(images.isLocalImage(`${host}/cdn/img_${ID}.png`)).toBe(false);
});
