/** Bundles the faulty Worker once for all files of the suite. */
import type { TestProject } from "vitest/node";

import { bundle } from "../bench/server.ts";

declare module "vitest" {
  interface ProvidedContext {
    script: string;
  }
}

export default function setup(project: TestProject): void {
  project.provide("script", bundle("test/faults/faulty-worker.ts"));
}
