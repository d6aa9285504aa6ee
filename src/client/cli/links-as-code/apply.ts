/** `hoplink apply`: applies the file to the account. */
import { figure } from "../../../core/limits.ts";
import { addressText } from "../../plan/addresses.ts";
import { type Applied, applyPlan } from "../../plan/apply.ts";
import { planJson } from "../../plan/plan-text.ts";
import { isEmpty, type Plan } from "../../plan/plan.ts";
import { EXIT_CODES, interrupted, type Outcome, usageFailure } from "../errors.ts";
import type { Io } from "../io.ts";
import type { Session } from "../session.ts";
import { confirm } from "../terminal/questions.ts";
import { planFor, type PlanOptions, printPlan } from "./plan.ts";

interface ApplyOptions extends PlanOptions {
  yes?: true | undefined;
  json?: true | undefined;
}

export async function runApply(session: Session, fileName: string, options: ApplyOptions): Promise<number> {
  const { io, hoplink } = session;
  if (!options.yes && (options.json || !io.isInteractive)) {
    throw usageFailure("Cannot ask for confirmation with --json or without a terminal", "Add --yes.");
  }
  const plan = await planFor(session, fileName, options);
  if (!options.json) await printPlan(io, plan, fileName);
  if (!isEmpty(plan) && !options.yes && !(await confirm(io, "Apply these changes?"))) {
    io.note("Canceled. Nothing was changed.");
    return EXIT_CODES.ok.code;
  }
  // Finishes the request in flight, so that its results can be reported.
  io.finishesWork = true;
  const onProgress = (done: number, all: number) => io.progress.show(done, all, "links");
  const applied = await applyPlan(hoplink, plan, { signal: io.signal, onProgress });
  io.progress.clear();
  await report(io, plan, applied, options.json ?? false);
  if (applied.error !== undefined) throw applied.error;
  if (applied.left > 0) throw interrupted();
  return EXIT_CODES[outcomeOf(plan, applied)].code;
}

const CONFLICTS: ReadonlySet<string> = new Set(["precondition_failed", "slug_taken", "link_not_found"]);

function outcomeOf({ problems }: Plan, { refused }: Applied): Outcome {
  if (problems.length > 0) return "failed";
  if (refused.length === 0) return "ok";
  return refused.every(({ code }) => CONFLICTS.has(code)) ? "conflict" : "failed";
}

async function report(io: Io, plan: Plan, { created, changed, deleted, refused, left }: Applied, asJson: boolean) {
  for (const { address, message } of refused) io.note(`${addressText(address)}: ${message}`);
  if (asJson) {
    const shown = refused.map(({ address, code, message }) => ({ address: addressText(address), code, message }));
    const { unchanged, problems } = planJson(plan);
    await io.printJson({ created, changed, deleted, unchanged, problems, refused: shown, left });
    return;
  }
  if (isEmpty(plan)) return;
  const done = { created, changed, deleted, refused: refused.length, left };
  const parts = Object.entries(done).filter(([, links]) => links > 0);
  await io.print(`${parts.map(([what, links]) => `${figure(links)} ${what}`).join(", ")}.`);
  if (left > 0) io.note("To apply the rest, run the command again.");
}
