/** The order of test files: of those that start together, the longest first. Started last, each would run on alone. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONGEST = [
  "dashboard/browser/dashboard",
  "e2e/first-day",
  "e2e/setup",
  "dashboard/browser/operator",
  "e2e/upgrade",
  "dashboard/browser/dashboard-link",
  "e2e/admin",
  "api/hostile-requests",
  "faults/backup",
  "faults/bucket-move",
].map((name) => `/test/${name}.test.ts`);

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return rank === -1 ? LONGEST.length : rank;
}
