/**
 * The cost of the most expensive inputs that a search finds: a User-Agent, which every visit parses, and a logo. Each
 * as a ratio to an ordinary one of the same run. `HOSTILE_LOGOS=20000` searches that many.
 */
import { USER_AGENTS } from "../core/visitors/user-agents.ts";
import { hostileLogos } from "../support/hostile-logos.ts";
import { costliestLogo, isDrawn, startRenderer } from "../support/logo-costs.ts";
import { cpuMsOf as cpuOfUserAgent, slowestUserAgent } from "../support/slow-user-agents.ts";
import type { Figure } from "./figures.ts";
import { cpuOfCode, peakMemoryOfCode, startQrServer } from "./qr.ts";

const USER_AGENT_CHANGES = 10_000;
const LOGOS = Number(process.env["HOSTILE_LOGOS"] ?? 2_000);
const DRAWINGS = 10;
const MEGABYTE = 1024 * 1024;

export async function worst(): Promise<Figure[]> {
  return [...worstUserAgent(), ...(await worstLogo())];
}

function worstUserAgent(): Figure[] {
  for (const { userAgent } of USER_AGENTS) cpuOfUserAgent(userAgent, 20);
  const ordinary =
    USER_AGENTS.reduce((sum, { userAgent }) => sum + cpuOfUserAgent(userAgent, 5), 0) / USER_AGENTS.length;
  const { ms } = slowestUserAgent(USER_AGENT_CHANGES);
  return [
    { name: "worst: CPU of an ordinary User-Agent", value: ordinary, unit: "ms" },
    { name: "worst: CPU of the worst User-Agent", value: ms, unit: "ms", target: "<= 5" },
    { name: "worst: ratio to an ordinary one", value: ms / ordinary, unit: "", target: "<= 50" },
  ];
}

/** Searches in this process, then draws the result in workerd, in a code of 1,024 pixels. */
async function worstLogo(): Promise<Figure[]> {
  const here = await startRenderer();
  const { uri, ms } = costliestLogo(here, LOGOS);
  const drawn = isDrawn(uri) ? uri : firstDrawn();
  const drawer = await startQrServer();
  try {
    await drawer.draw("size=1024&logo=sent", 1, drawn);
    const inWorkerd = await cpuOfCode(drawer, "size=1024&logo=sent", DRAWINGS, drawn);
    return [
      { name: `worst: CPU of the worst of ${LOGOS} logos`, value: ms, unit: "ms", target: "<= 250" },
      { name: "worst: ratio to a simple one", value: ms / here.floorMs, unit: "", target: "<= 9" },
      {
        name: "worst: WebAssembly's memory after all",
        value: here.wasmBytes() / MEGABYTE,
        unit: "MB",
        target: "<= 40",
      },
      { name: "worst: CPU of its code in workerd", value: inWorkerd, unit: "ms", target: "<= 250" },
      {
        name: "worst: peak memory of it",
        value: await peakMemoryOfCode("size=1024&logo=sent", drawn),
        unit: "MB",
        target: "<= 48",
      },
    ];
  } finally {
    await drawer.stop();
  }
}

function firstDrawn(): string {
  for (const uri of hostileLogos(LOGOS)) if (isDrawn(uri)) return uri;
  throw new Error("none of the logos is drawn");
}
