/** Bundles the faulty Worker once for all files of the suite. */
import type { TestProject } from "vitest/node";

import { bundle } from "../support/bundle.ts";

declare module "vitest" {
  interface ProvidedContext {
    script: string;
  }
}

export default async function setup(project: TestProject): Promise<void> {
  project.provide("script", await bundle("test/faults/faulty-worker.ts"));
}
