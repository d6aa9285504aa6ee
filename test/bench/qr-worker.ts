/** The subject of the benchmark's QR part: one code, drawn repeatedly, by our code or by resvg. Runs in workerd. */
import { Resvg, initWasm } from "@resvg/resvg-wasm";
import wasm from "@resvg/resvg-wasm/index_bg.wasm";

import { drawQrCode } from "../../src/api/qr/qr-image.ts";
import { type Logo, parseLogo } from "../../src/core/qr/logo.ts";
import { layoutOf, matrixOf } from "../../src/core/qr/matrix.ts";
import { qrSvg } from "../../src/core/qr/svg.ts";

// wrangler.toml binds it, so wrangler bundles no Worker without it.
export { AccountClicks } from "../../src/clicks/account-clicks.ts";
export { AccountFeed } from "../../src/clicks/account-feed.ts";
export { LinkClicks } from "../../src/clicks/link-clicks.ts";
export { ImageObject } from "../../src/images/image-object.ts";
export { Maintenance } from "../../src/maintenance/maintenance.ts";
export { Service } from "../../src/service-object.ts";

const TEXT = "https://hop.example/spring?qr=01kajm2t4g8q5v7w9x3y6z1a2b";
const COLORS = { fg: "#000000", bg: "#FFFFFF" };
const SHAPES =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'%3E%3Ccircle r='9' fill='%23c00'/%3E%3C/svg%3E";

export default {
  /** @returns bytes of the file, as text */
  async fetch(request: Request): Promise<Response> {
    const asked = new URL(request.url).searchParams;
    const [size, times] = [Number(asked.get("size")), Number(asked.get("times"))];
    const draw =
      asked.get("by") === "resvg"
        ? await resvgDrawing(size)
        : ownDrawing(size, await logoOf(asked.get("logo"), request));
    let bytes = 0;
    for (let i = 0; i < times; i++) bytes = (await draw()).length;
    return new Response(String(bytes));
  },
};

function ownDrawing(size: number, logo: string | null): () => Promise<Uint8Array> {
  const look = { format: "png", size, margin: 4, ecc: "M", ...COLORS } as const;
  return () => drawQrCode(TEXT, logo === null ? look : { ...look, logo: parsed(logo) });
}

function parsed(uri: string): Logo {
  const logo = parseLogo(uri);
  if ("fault" in logo) throw new Error(logo.fault);
  return logo;
}

/** A logo of shapes, one with the maximum number of pixels (another code), or the one that was sent. */
async function logoOf(kind: string | null, request: Request): Promise<string | null> {
  if (kind === "sent") return request.text();
  if (kind !== "pixels") return kind === "shapes" ? SHAPES : null;
  const bytes = await ownDrawing(1_024, null)();
  return `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`;
}

/** The same code, from its SVG. */
async function resvgDrawing(size: number): Promise<() => Promise<Uint8Array>> {
  await initWasm(wasm).catch(() => {});
  return async () => {
    const matrix = matrixOf(TEXT, "M");
    const layout = layoutOf(matrix, 4, size);
    if (!layout) throw new Error("does not fit");
    const resvg = new Resvg(qrSvg(matrix, layout, COLORS));
    const image = resvg.render();
    const png = image.asPng();
    image.free();
    resvg.free();
    return png;
  };
}
