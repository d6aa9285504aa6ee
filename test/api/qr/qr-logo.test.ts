/** Logos of every kind on codes of every size, read by a decoder; and resvg, which only logos load. */
import jsQr from "jsqr";
import { exports } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import type { Link } from "../../../src/core/contract/links.ts";
import type { QrCode } from "../../../src/core/contract/qr-codes.ts";
import { type TestAccount, premiumAccount, visit } from "../../support/test-accounts.ts";
import { type Pixels, readPng } from "../../support/png.ts";

function svgUri(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const NS = "xmlns='http://www.w3.org/2000/svg'";

const LOGOS = {
  "an SVG": svgUri(`<svg ${NS} viewBox='0 0 10 10'><circle cx='5' cy='5' r='5' fill='#06c'/></svg>`),
  "an SVG with a gradient": svgUri(
    `<svg ${NS} width='300' height='200'><linearGradient id='g'><stop stop-color='#000'/><stop offset='1' stop-color='#0f0' stop-opacity='.3'/></linearGradient><rect width='300' height='200' fill='url(#g)'/></svg>`,
  ),
  "a wide SVG": svgUri(`<svg ${NS} viewBox='0 0 90 9'><path d='M0 0h90v9H0z'/></svg>`),
  "a high SVG": svgUri(`<svg ${NS} viewBox='0 0 9 90'><path d='M0 0h9v90H0z'/></svg>`),
  // 8 x 8 pixels, in red and blue, as other programs write them.
  "a PNG":
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR4nGM4w8AAR0jMMwxDSwIA7eUzAQl230MAAAAASUVORK5CYII=",
  "a JPEG":
    "data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAYEAEAAwEAAAAAAAAAAAAAAAAABEOBwf/EABUBAQEAAAAAAAAAAAAAAAAAAAMG/8QAGhEAAAcAAAAAAAAAAAAAAAAAAAECBTSBsf/aAAwDAQACEQMRAD8Aip9e8AU7NCRemHdpi6wh/9k=",
};

let ann: TestAccount;
let link: Link;
const instantiate = vi.spyOn(WebAssembly, "instantiate");

beforeAll(async () => {
  ann = await premiumAccount();
  link = await ann.createLink();
});

afterAll(() => {
  vi.restoreAllMocks();
});

async function file({ url }: QrCode): Promise<Uint8Array> {
  return (await exports.default.fetch(url)).bytes();
}

describe("the renderer", () => {
  test("is not initialized by redirects, scans, plain codes, or reads of any of them", async () => {
    for (const format of ["png", "svg"]) {
      const code = await ann.createQrCode(link, { format, ecc: "H" });
      await visit(link.short_url);
      await visit(link.short_url, { search: `?qr=${code.id.slice(3)}` });
      await ann.waitForClicks(format === "png" ? 2 : 4, link);
      expect((await ann.qrCode(code)).scans).toBe(1);
      await file(code);
    }
    expect(instantiate).not.toHaveBeenCalled();
  });

  test("is initialized once by the first codes with logos, even if they are simultaneous", async () => {
    const make = () => ann.createQrCode(link, { logo: LOGOS["an SVG"] });
    await Promise.all(Array.from({ length: 5 }, make));
    const calls = instantiate.mock.calls.length;
    expect(calls).toBeGreaterThan(0);
    await Promise.all(Array.from({ length: 5 }, make));
    expect(instantiate).toHaveBeenCalledTimes(calls);
  });
});

describe.each(Object.entries(LOGOS))("%s", (_, logo) => {
  test.each([64, 100, 512, 1000, 2047])("on a code of %d px", async (size) => {
    const code = await ann.createQrCode(link, { size, logo });
    const image = readPng(await file(code));
    expect([image.width, image.height]).toEqual([size, size]);
    expect(jsQr(image.rgba, size, size)?.data).toBe(`${link.short_url}?qr=${code.id.slice(3)}`);
    expect(isInk(image, size / 2, size / 2)).toBe(true);
  });

  test("as SVG, drawn again by resvg", async () => {
    const code = await ann.createQrCode(link, { format: "svg", size: 700, logo });
    const svg = new TextDecoder().decode(await file(code));
    expect(svg).not.toMatch(/<image|href|data:/);
    const { Resvg } = await import("@resvg/resvg-wasm");
    const { pixels, width, height } = new Resvg(svg).render();
    const rgba = Uint8ClampedArray.from(pixels);
    expect(jsQr(rgba, width, height)?.data).toBe(`${link.short_url}?qr=${code.id.slice(3)}`);
    expect(isInk({ width, height, rgba }, 350, 350)).toBe(true);
  });
});

/** Whether a position, or a pixel beside it, is not white. */
function isInk({ width, rgba }: Pixels, x: number, y: number): boolean {
  const [left, top] = [Math.floor(x) - 1, Math.floor(y) - 1];
  return [0, 1, 2].some((row) => {
    const at = ((top + row) * width + left) * 4;
    return rgba.subarray(at, at + 12).some((value) => value < 250);
  });
}
