/** The npm package `hoplink` as its users install it: built, packed by npm, and unpacked into a project. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { buildClient } from "../../src/cli/build-client.ts";

const run = promisify(execFile);

export interface ClientProject {
  /** Folder of the project with the package in its `node_modules`. */
  folder: string;
  /** The file that `npm pack` wrote. */
  tarball: string;
  remove: () => Promise<void>;
}

export async function clientProject(): Promise<ClientProject> {
  const root = await mkdtemp(join(tmpdir(), "hoplink-package-"));
  const [built, folder] = [join(root, "built"), join(root, "project")];
  const installed = join(folder, "node_modules/hoplink");
  await buildClient(built);
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", root], { cwd: built });
  const tarball = join(root, fileNameIn(stdout));
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components", "1"]);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  return { folder, tarball, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Some releases of npm print a list, others an object by the package's name. */
function fileNameIn(printed: string): string {
  const [name] = /hoplink-[\w.-]+\.tgz/.exec(printed) ?? [];
  if (!name) throw new Error(`npm pack printed no name of a file: ${printed}`);
  return name;
}
