/** Prints the slowest test files and how they spent their time: after runs of many files, even if tests failed. */
import type { Reporter, TestModule } from "vitest/node";

const SHOWN = 10;

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const files = modules.map(timesOf).sort((a, b) => b.total - a.total);
    console.log(`\nThe slowest ${SHOWN} of ${files.length} files (seconds: whole = hooks + tests + loading)`);
    for (const { name, total, hooks, tests, loading } of files.slice(0, SHOWN)) {
      const [whole, ...parts] = [total, hooks, tests, loading].map((ms) => (ms / 1_000).toFixed(1));
      console.log(`${whole?.padStart(7)} = ${parts.map((part) => part.padStart(5)).join(" + ")}  ${name}`);
    }
  }
}

interface Times {
  name: string;
  total: number;
  hooks: number;
  tests: number;
  loading: number;
}

/** Tests of a file that run side by side take longer in total than the file: then no time is left for hooks. */
function timesOf(module: TestModule): Times {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } = module.diagnostic();
  const loading = collectDuration + setupDuration + prepareDuration + environmentSetupDuration;
  let tests = 0;
  for (const test of module.children.allTests()) tests += test.diagnostic()?.duration ?? 0;
  tests = Math.min(tests, duration);
  return { name: module.relativeModuleId, total: duration + loading, hooks: duration - tests, tests, loading };
}
