/**
 * The application in one file: what every page needs would otherwise be split by the pages that use it too, and each file
 * costs a request.
 */
import type { Rolldown } from "vite";

/**
 * @param page  absolute path of the page, whose script is the entry
 * @internal
 */
export function applicationChunk(page: string): Rolldown.CodeSplittingGroup {
  let entryModules: Set<string> | null = null;
  return {
    debugName: "application",
    // What the inputs import, without what they load later.
    tags: ["$initial"],
    // The entry script waits for the files that it imports: what it needs is not in the application's.
    name: (id, modules) => ((entryModules ??= staticClosure(page, modules)).has(id) ? "entry" : "application"),
  };
}

/**
 * What is small and used by several pages, which would be a file for each combination of them.
 * @internal
 */
export function smallChunk(name: string, test: RegExp): Rolldown.CodeSplittingGroup {
  return { name, test, minShareCount: 2 };
}

/** The module and what it imports, without what it loads later. */
function staticClosure(module: string, modules: Rolldown.ChunkingContext): Set<string> {
  const closure = new Set([module]);
  // A set that grows while it is iterated over has its new members visited too.
  for (const id of closure) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) closure.add(imported);
  return closure;
}
