/** Programs of the machine that a few tests run. If a machine lacks one, its tests are skipped and say so. */
import { spawnSync } from "node:child_process";

interface Program {
  isThere: boolean;
  /** For the titles of tests that are skipped. */
  missing: string;
}

/** @param inDebian  the package's name, if it differs */
export function program(name: string, inDebian = name): Program {
  const isThere = spawnSync(name, ["--version"]).status === 0;
  return { isThere, missing: isThere ? "" : ` (skipped: there is no ${name}; Debian: apt-get install ${inDebian})` };
}
