/** Settings of fast-check in every file. */
import fc from "fast-check";
import { inject } from "vitest";

fc.configureGlobal({
  numRuns: Number(process.env.PROPERTY_RUNS ?? inject("propertyRuns")),
  seed: inject("propertySeed"),
});
