/** `npm run bench`: speed and cost, as ratios to a floor measured in the same run. */
import { writeFileSync } from "node:fs";

import { Command } from "@commander-js/extra-typings";

import { EXIT, runCommand, SetupError } from "../../src/cli/command.ts";
import { bundle } from "../support/bundle.ts";
import { type Figure, isMet, formatTable } from "./figures.ts";
import { keepFigures } from "./kept-figures.ts";
import { PARTS } from "./parts.ts";

const command = () =>
  new Command("npm run bench --")
    .option("--only <PART,PART>", `of ${Object.keys(PARTS).join(", ")}`)
    .option("--out <FILE>", "writes the figures as JSON")
    .option("--keep", "keeps those that prices use");

await runCommand(command, async ({ only, out, keep }) => {
  const chosen = only?.split(",") ?? Object.keys(PARTS);
  const unknown = chosen.filter((name) => !PARTS[name]);
  if (unknown.length > 0) throw new SetupError(`No part is called ${unknown.join(", ")}`, EXIT.usage);
  const script = await bundle();
  const figures: Figure[] = [];
  try {
    for (const name of chosen) {
      console.error(`${name} ...`);
      const part = await PARTS[name]?.();
      if (part) figures.push(...(await part(script)));
    }
  } finally {
    // Also when a part fails, since the parts before it took minutes.
    console.log(formatTable(figures));
    if (out) {
      const named = figures.map((figure) => ({ ...figure, target: figure.target ?? null, ok: isMet(figure) }));
      writeFileSync(out, JSON.stringify({ figures: named }, null, 2));
    }
  }
  if (keep) keepFigures(figures);
  return figures.every(isMet) ? 0 : 1;
});
