/** The cost of logos where resvg runs in this process: CPU, and the memory of its WebAssembly, which never shrinks. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type * as ResvgWasm from "@resvg/resvg-wasm";

import { isVisible, renderSvg, svgOf } from "../../src/api/qr/qr-image.ts";
import { compositeOver } from "../../src/core/qr/colors.ts";
import { parseLogo } from "../../src/core/qr/logo.ts";
import { LOGO_SIDE_MAX_PX } from "../../src/core/qr/logo-cost.ts";
import { hostileLogos } from "./hostile-logos.ts";

export interface Renderer {
  /** CPU ms of reading a logo and, if allowed, drawing it; the least of several runs if it is much. */
  cpuMsOf: (uri: string) => number;
  /** CPU ms of a drawing as expensive as a simple logo, as the reference for the others. */
  floorMs: number;
  wasmBytes: () => number;
}

/** Below this cost, one run is enough. */
const SINGLE_RUN_MAX_MS = 50;

const { resolve } = createRequire(import.meta.url);
/** A separate copy: resvg can be initialized once, and this instance of it is measured. */
const { initWasm, Resvg } = (await import(`${import.meta.resolve("@resvg/resvg-wasm")}?measured`)) as typeof ResvgWasm;

export async function startRenderer(): Promise<Renderer> {
  const wasm = resolve("@resvg/resvg-wasm/index_bg.wasm");
  const instance = await captureInstance(() => initWasm(readFileSync(wasm)));
  const cpuOf = (uri: string) => {
    const once = cpuMsOfOneRun(uri);
    return once < SINGLE_RUN_MAX_MS ? once : Math.min(once, cpuMsOfOneRun(uri), cpuMsOfOneRun(uri));
  };
  for (let i = 0; i < 3; i++) cpuMsOfOneRun(SIMPLE_LOGO);
  const floorMs = Math.min(...Array.from({ length: 7 }, () => cpuMsOfOneRun(SIMPLE_LOGO)));
  const wasmBytes = () => (instance.exports["memory"] as WebAssembly.Memory).buffer.byteLength;
  return { cpuMsOf: cpuOf, floorMs, wasmBytes };
}

/** Four gradients all over the picture. */
const SIMPLE_LOGO = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><radialGradient id="a"><stop stop-color="#123"/><stop offset="1" stop-color="#fed"/></radialGradient><g fill="url(#a)">${'<path d="M0 0h9v9H0z"/>'.repeat(4)}</g></svg>`,
)}`;

/** The WebAssembly instance that is created during `makeReady`. */
async function captureInstance(makeReady: () => Promise<void>): Promise<WebAssembly.Instance> {
  const { instantiate } = WebAssembly;
  let made: WebAssembly.Instance | undefined;
  const remember = async (bytes: BufferSource, imports: WebAssembly.Imports) => {
    const source: unknown = await instantiate(bytes, imports);
    made = (source as { instance: WebAssembly.Instance }).instance;
    return source;
  };
  Object.assign(WebAssembly, { instantiate: remember });
  await makeReady();
  Object.assign(WebAssembly, { instantiate });
  if (!made) throw new Error("resvg was made ready before");
  return made;
}

function cpuMsOfOneRun(uri: string): number {
  const before = process.cpuUsage();
  const logo = parseLogo(uri);
  if (!("fault" in logo)) {
    try {
      const { width, height, pixels } = renderSvg(Resvg, svgOf(logo, LOGO_SIDE_MAX_PX));
      compositeOver(width, height, pixels, [255, 255, 255]);
    } catch {
      // A damaged image is refused only now.
    }
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Whether the service draws a logo instead of refusing it. */
export function isDrawn(uri: string): boolean {
  const logo = parseLogo(uri);
  if ("fault" in logo) return false;
  try {
    return isVisible(renderSvg(Resvg, svgOf(logo, LOGO_SIDE_MAX_PX)).pixels);
  } catch {
    return false;
  }
}

/** The most expensive of `count` hostile logos. */
export function costliestLogo({ cpuMsOf }: Renderer, count: number): { uri: string; index: number; ms: number } {
  let worst = { uri: "", index: -1, ms: 0 };
  let index = 0;
  for (const uri of hostileLogos(count)) {
    const ms = cpuMsOf(uri);
    if (ms > worst.ms) worst = { uri, index, ms };
    index++;
  }
  return worst;
}
