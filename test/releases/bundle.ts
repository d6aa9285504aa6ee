/** Bundles of a release: as the code is now, as the next one might be, and as the last one was. */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Plugin } from "vite";

const SOURCES = resolve(import.meta.dirname, "../../src");
const NEXT = join(import.meta.dirname, "next");
export const PREVIOUS_BUNDLE = join(import.meta.dirname, "previous.js");

/** Modules that a release with a new field of clicks changes, and what they are in it. */
const REPLACED_MODULES = new Map([
  [join(SOURCES, "core/clicks/click-formats.ts"), join(NEXT, "click-formats.ts")],
  [join(SOURCES, "clicks/schema-migrations.ts"), join(NEXT, "schema-migrations.ts")],
]);

export const currentRelease = () => bundle(join(import.meta.dirname, "release-worker.ts"));

/** A release that does not exist: batches in the next format, with a nineteenth field, and a schema step for it. */
export const nextRelease = () =>
  bundle(join(NEXT, "release-worker.ts"), {
    name: "next-release",
    enforce: "pre",
    async resolveId(source, importer, options) {
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      // What takes a module's place may name the module itself.
      return (!importer?.startsWith(NEXT) && resolved && REPLACED_MODULES.get(resolved.id)) || resolved;
    },
  });

/**
 * What no release needs of another one: the schemas of the API, of whose modules plain values are left, and what is loaded
 * for it alone. A tenth of the size.
 */
const withoutApi: Plugin = {
  name: "without-api",
  async load(id) {
    if (!id.startsWith(join(SOURCES, "core/contract/"))) return null;
    const values = Object.entries((await import(id)) as Record<string, unknown>).filter(([, value]) => isData(value));
    return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join("\n");
  },
  resolveDynamicImport: (source) => ({ id: String(source), external: true }),
};

/** Schemas have functions, which cannot be cloned. */
function isData(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

export const previousRelease = () => readFile(PREVIOUS_BUNDLE, "utf8");

async function bundle(entry: string, ...plugins: Plugin[]): Promise<string> {
  const [built] = (await build({
    configFile: false,
    logLevel: "silent",
    plugins: [...plugins, withoutApi],
    ssr: { noExternal: true, target: "webworker" },
    build: {
      ssr: entry,
      write: false,
      minify: true,
      target: "es2024",
      rolldownOptions: { external: ["cloudflare:workers"], output: { codeSplitting: false } },
    },
  }).then((outputs) => [outputs].flat())) as { output: { type: string; code?: string }[] }[];
  const chunks = built?.output.filter(({ type }) => type === "chunk") ?? [];
  if (chunks.length !== 1 || !chunks[0]?.code) throw new Error(`${entry} made ${chunks.length} chunks`);
  return chunks[0].code;
}
