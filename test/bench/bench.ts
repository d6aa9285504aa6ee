/** `npm run bench`: how fast and how dear, as ratios to a floor measured in the same run. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { bundle } from "../support/bundle.ts";
import { type Figure, isMet, formatTable } from "./figures.ts";
import { keepFigures } from "./kept-figures.ts";
import { PARTS } from "./parts.ts";

const USAGE = `Usage: npm run bench [-- options]

  --only PART,PART  of ${Object.keys(PARTS).join(", ")}
  --out FILE        writes the figures as JSON
  --keep            keeps those that prices use`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    out: { type: "string" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const chosen = values.only?.split(",") ?? Object.keys(PARTS);
const unknown = chosen.filter((name) => !PARTS[name]);
if (unknown.length > 0) throw new Error(`No part is called ${unknown.join(", ")}\n${USAGE}`);
if (values.help) {
  console.log(USAGE);
  process.exit();
}

const script = await bundle();
const figures: Figure[] = [];
try {
  for (const name of chosen) {
    console.error(`${name} ...`);
    figures.push(...((await PARTS[name]?.(script)) ?? []));
  }
} finally {
  // Also when a part fails: the parts before it took minutes.
  console.log(formatTable(figures));
  if (values.out) {
    const named = figures.map((figure) => ({ ...figure, target: figure.target ?? null, ok: isMet(figure) }));
    writeFileSync(values.out, JSON.stringify({ figures: named }, null, 2));
  }
}
if (values.keep) keepFigures(figures);
process.exitCode = figures.every(isMet) ? 0 : 1;
