/** What `range_too_large` says beside its message. Pure. */
import type { Problem } from "../../errors.ts";

const TIMESTAMP = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** Where a range may begin that was too large, epoch ms; null where the problems do not say. */
export function earliestStart(problems: readonly Problem[]): number | null {
  const start = problems.find(({ path }) => path === "from")?.message.match(TIMESTAMP)?.[0];
  return start === undefined ? null : Date.parse(start);
}
