/** Bundles of a release: the current code, a possible next one, and one from before the controls of visits. */
import { basename, join, resolve } from "node:path";
import { build, type Plugin } from "vite";

const SOURCES = resolve(import.meta.dirname, "../../src");
const NEXT = join(import.meta.dirname, "next");
const PREVIOUS = join(import.meta.dirname, "previous");
const ENTRY = join(import.meta.dirname, "release-worker.ts");

export const currentRelease = () => bundle(ENTRY);

/** A release that does not exist: batches in the next format, with one more field, and a migration for it. */
export const nextRelease = () =>
  bundle(
    join(NEXT, "release-worker.ts"),
    replacing(NEXT, ["core/clicks/encoding/click-formats.ts", "clicks/schema-migrations.ts"]),
  );

/** Reads and obeys no control of visits, such as `paused` and `password`. */
export const previousRelease = () =>
  bundle(
    ENTRY,
    replacing(PREVIOUS, [
      "core/links/link-members.ts",
      "core/links/link-snapshot.ts",
      "core/links/visit-decision.ts",
      "store/links/disabled-links.ts",
    ]),
  );

/** @param modules  replaced by those with the same names in the folder */
function replacing(folder: string, modules: readonly string[]): Plugin {
  const replacements = new Map(modules.map((path) => [join(SOURCES, path), join(folder, basename(path))]));
  return {
    name: "other-release",
    enforce: "pre",
    async resolveId(source, importer, options) {
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      // A replacement may import the module that it replaces.
      return (!importer?.startsWith(folder) && resolved && replacements.get(resolved.id)) || resolved;
    },
  };
}

async function bundle(entry: string, ...plugins: Plugin[]): Promise<string> {
  const [built] = (await build({
    configFile: false,
    logLevel: "silent",
    plugins,
    ssr: { noExternal: true, target: "webworker" },
    build: {
      ssr: entry,
      write: false,
      target: "es2024",
      rolldownOptions: { external: [/^cloudflare:/], output: { codeSplitting: false } },
    },
  }).then((outputs) => [outputs].flat())) as { output: { type: string; code?: string }[] }[];
  const chunks = built?.output.filter(({ type }) => type === "chunk") ?? [];
  if (chunks.length !== 1 || !chunks[0]?.code) throw new Error(`${entry} made ${chunks.length} chunks`);
  return chunks[0].code;
}
