/**
 * Vite's module runner asks the process of Vitest for a module each time that a module imports it, and again for the
 * Worker whenever a test calls it or an object. Here it asks once: no source changes while the tests run.
 */
interface Module {
  /** Not given until it has been fetched, and after Vitest has invalidated it. */
  meta?: object;
}

interface ModuleRunner {
  evaluatedModules: { getModuleByUrl(url: string): Module | undefined };
  vitestOptions: { transport: { resolveId(id: string, importer?: string): Promise<unknown> } };
  cachedModule(url: string, importer?: string): Promise<Module>;
  asksOnce?: true;
}

const ABSOLUTE = /^(\/|[a-z]+:)/;

const { moduleRunner } = (globalThis as unknown as { __vitest_mocker__: { moduleRunner: ModuleRunner } })
  .__vitest_mocker__;

// Files that share an isolate share it.
if (!moduleRunner.asksOnce) {
  moduleRunner.asksOnce = true;
  const { evaluatedModules, cachedModule } = moduleRunner;
  moduleRunner.cachedModule = async (url, importer) => {
    // Another name, such as that of a package, may mean another module for each importer.
    const known = ABSOLUTE.test(url) ? evaluatedModules.getModuleByUrl(url) : undefined;
    return known?.meta ? known : cachedModule.call(moduleRunner, url, importer);
  };
  const { transport } = moduleRunner.vitestOptions;
  const { resolveId } = transport;
  const resolved = new Map<string, unknown>();
  transport.resolveId = async (id, importer) => {
    // Without an importer, it is the path of a file.
    if (importer === undefined && resolved.has(id)) return resolved.get(id);
    const found = await resolveId(id, importer);
    if (importer === undefined) resolved.set(id, found);
    return found;
  };
}
