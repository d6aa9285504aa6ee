/** The seed of all property tests of a run, printed so that a failure can be repeated. */
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    propertySeed: number;
    /** How many examples each property is tried with, unless it specifies its own number. */
    propertyRuns: number;
    /** How many random requests the Worker gets. */
    hostileRequests: number;
  }
}

export default function setup(project: TestProject): void {
  const seed = Number(process.env.PROPERTY_SEED ?? Math.trunc(Math.random() * 2 ** 31));
  project.provide("propertySeed", seed);
  console.log(`Property tests use the seed ${seed}; PROPERTY_SEED=${seed} repeats it.`);
}
