/**
 * Names the application's files in the page, beside the entry script that imports them: the browser downloads them from
 * the first response on, without waiting for that script.
 */
import type { HtmlTagDescriptor, Plugin, Rolldown } from "vite";

const BASE = "/dashboard/";

/**
 * @param main  absolute path of the module that the entry script imports
 * @internal
 */
export function preloadMain(main: string): Plugin {
  return {
    name: "preload-main",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(main));
        if (!chunk) throw new Error(`The build has no chunk of ${main}`);
        return preloadTags(withImports(chunk, chunks));
      },
    },
  };
}

function withImports(chunk: Rolldown.OutputChunk, chunks: readonly Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const found = new Set([chunk]);
  // A set that grows while it is iterated over has its new members visited too.
  for (const { imports } of found) for (const one of chunks) if (imports.includes(one.fileName)) found.add(one);
  return found;
}

function preloadTags(chunks: ReadonlySet<Rolldown.OutputChunk>): HtmlTagDescriptor[] {
  const styles = [...chunks].flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
  return [
    ...[...chunks]
      .filter(({ facadeModuleId }) => !facadeModuleId?.endsWith(".html"))
      .map(({ fileName }) => tagOf("modulepreload", fileName)),
    ...styles.map((fileName) => tagOf("stylesheet", fileName)),
  ];
}

function tagOf(rel: string, fileName: string): HtmlTagDescriptor {
  return { tag: "link", attrs: { rel, crossorigin: true, href: BASE + fileName }, injectTo: "head" };
}
