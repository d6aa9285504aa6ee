/**
 * An isolate's cost before its first request: CPU time as `wrangler check startup` profiles it, and the size of the
 * upload. Also what a browser loads for the overview and the list of links, if the dashboard has been built.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { runWrangler } from "../../src/cli/wrangler.ts";
import { type Figure, median } from "./figures.ts";
import { uploadBytes } from "../support/bundle.ts";
import { PLACEHOLDER_SCRIPT } from "../support/dashboard-files.ts";
import { FIRST_LOAD_MAX, firstLoad, gzipBytes } from "../support/first-load.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ROUNDS = 5;
const KILOBYTE = 1_000;

const PAGES = [
  ["overview", "the overview"],
  ["links", "the list of links"],
] as const;

export async function startup(): Promise<Figure[]> {
  const starts: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) starts.push(await startMs());
  return [
    { name: "CPU of starting an isolate", value: median(starts), unit: "ms", target: "<= 50" },
    { name: "script and WebAssembly, gzip", value: (await uploadBytes()) / KILOBYTE, unit: "kB", target: "<= 1150" },
    ...firstLoads(),
  ];
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

async function startMs(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-startup-"));
  const file = join(folder, "startup.cpuprofile");
  try {
    await runWrangler(["check", "startup", "--outfile", file]);
    return busyMs(JSON.parse(readFileSync(file, "utf8")) as Profile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function busyMs({ nodes, samples, timeDeltas }: Profile): number {
  const idle = new Set(nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id));
  return samples.reduce((sum, id, i) => (idle.has(id) ? sum : sum + (timeDeltas[i] ?? 0)), 0) / 1_000;
}

/** What a browser loads for these pages, once the dashboard has been built. */
function firstLoads(): Figure[] {
  const page = join(ROOT, "dist/dashboard/index.html");
  if (!existsSync(page) || readFileSync(page, "utf8").includes(PLACEHOLDER_SCRIPT)) return [];
  return PAGES.map(([part, name]) => ({
    name: `first load of ${name}, gzip`,
    value: firstLoad(part).reduce((sum, file) => sum + gzipBytes(file), 0) / KILOBYTE,
    unit: "kB",
    target: `<= ${FIRST_LOAD_MAX[part] / KILOBYTE}`,
  }));
}
