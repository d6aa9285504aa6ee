/**
 * Which of the dashboard's modules share a file. Each file costs a request: with one for every set of modules that some
 * pages share, a page would need sixty.
 */
import type { Rolldown } from "vite";

/** Sets that are smaller, in bytes of source, are merged. */
const MERGED_MAX_BYTES = 80_000;

/**
 * Groups modules by the pages that use them.
 * @param entry  absolute path of the entry script
 * @internal
 */
export function sharedChunks(entry: string): Rolldown.CodeSplittingGroup {
  let entryModules: Set<string> | null = null;
  return {
    debugName: "shared",
    // The entry script waits for the files that it imports: what it needs stays in its own.
    name: (id, modules) => ((entryModules ??= staticClosure(entry, modules)).has(id) ? null : "shared"),
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: MERGED_MAX_BYTES,
  };
}

/** The module and what it imports, without what it loads later. */
function staticClosure(module: string, modules: Rolldown.ChunkingContext): Set<string> {
  const closure = new Set([module]);
  // A set that grows while it is iterated over has its new members visited too.
  for (const id of closure) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) closure.add(imported);
  return closure;
}
