/**
 * An isolate's cost before its first request, with sign-in and without: CPU time as `wrangler check startup` profiles
 * it, and the size of the upload. Also what a browser loads for the overview and the list of links, if the dashboard
 * has been built.
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

const NO_SIGN_IN = "./test/bench/no-sign-in.ts";
const LIBRARIES = ["better-auth", "better-auth/api", "better-auth/crypto", "@better-auth/passkey"];
const WITHOUT_SIGN_IN = ["--alias", ...LIBRARIES.map((name) => `${name}:${NO_SIGN_IN}`)];

export async function startup(): Promise<Figure[]> {
  const [whole, without]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < ROUNDS; turn++) {
    whole.push(await startMs([]));
    without.push(await startMs(WITHOUT_SIGN_IN));
  }
  return [
    { name: "CPU of starting an isolate", value: median(whole), unit: "ms", target: "<= 50" },
    { name: "the same without sign-in", value: median(without), unit: "ms" },
    { name: "script and WebAssembly, gzip", value: (await uploadBytes()) / KILOBYTE, unit: "kB", target: "<= 1150" },
    {
      name: "the same without sign-in",
      value: (await uploadBytes(WITHOUT_SIGN_IN)) / KILOBYTE,
      unit: "kB",
    },
    ...firstLoads(),
  ];
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

async function startMs(options: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "hoplink-startup-"));
  const file = join(folder, "startup.cpuprofile");
  try {
    await runWrangler(["check", "startup", "--outfile", file, `--args=${options.join(" ")}`]);
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
