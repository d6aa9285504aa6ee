/** Bundles of a release: the current code, and a possible next one. */
import { join, resolve } from "node:path";
import { build, type Plugin } from "vite";

const SOURCES = resolve(import.meta.dirname, "../../src");
const NEXT = join(import.meta.dirname, "next");

/** Modules that a release with a new field of clicks changes, and their replacements. */
const REPLACED_MODULES = new Map([
  [join(SOURCES, "core/clicks/encoding/click-formats.ts"), join(NEXT, "click-formats.ts")],
  [join(SOURCES, "clicks/schema-migrations.ts"), join(NEXT, "schema-migrations.ts")],
]);

export const currentRelease = () => bundle(join(import.meta.dirname, "release-worker.ts"));

/** A release that does not exist: batches in the next format, with one more field, and a migration for it. */
export const nextRelease = () =>
  bundle(join(NEXT, "release-worker.ts"), {
    name: "next-release",
    enforce: "pre",
    async resolveId(source, importer, options) {
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      // A replacement may import the module that it replaces.
      return (!importer?.startsWith(NEXT) && resolved && REPLACED_MODULES.get(resolved.id)) || resolved;
    },
  });

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
