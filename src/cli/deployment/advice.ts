/** Commands that the doctor names for what is wrong. */

/** Of the Worker that is looked at. */
export interface WorkerFacts {
  name: string;
  /** Whether commands work on another Worker unless they are told its name. */
  isNamed: boolean;
  /** Of its images; null without one. */
  bucket: string | null;
}

export const UPGRADE = "npm run upgrade";

export function setVariable(facts: WorkerFacts, variable: string): string {
  return setupCommand(facts, `--var ${variable}:VALUE`);
}

/** It leaves a deployment without a bucket as it is. */
export function setupCommand({ name, isNamed, bucket }: WorkerFacts, ...options: string[]): string {
  const kept = [...(isNamed ? [`--name ${name}`] : []), ...(bucket === null ? ["--no-r2"] : [])];
  const all = [...kept, ...options];
  return ["npm run setup", ...(all.length === 0 ? [] : ["--", ...all])].join(" ");
}
