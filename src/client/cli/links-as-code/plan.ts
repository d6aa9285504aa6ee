/** `hoplink plan`: shows what a file would change. Read-only. */
import { withBacktests } from "../../plan/backtests.ts";
import { type ParsedFile, parseLinksFile } from "../../plan/parse.ts";
import { keptLinks, type Mark, planJson, planLines, planMarkdown, planSummary } from "../../plan/plan-text.ts";
import { isEmpty, makePlan, type Plan } from "../../plan/plan.ts";
import { readSituation } from "../../plan/situation.ts";
import { EXIT_CODES, Failure, usageFailure } from "../errors.ts";
import { readTextIfThere } from "../files.ts";
import type { Io } from "../io.ts";
import type { Session } from "../session.ts";

/** Node 20 lacks `URL.parse`, which the schemas of links use. */
const Url: { parse?: typeof URL.parse } = URL;

Url.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);

export interface PlanOptions {
  prune?: true | undefined;
  setPasswords?: true | undefined;
  /** False with `--no-backtest`. */
  backtest: boolean;
}

interface ShowOptions extends PlanOptions {
  json?: true | undefined;
  markdown?: true | undefined;
  exitCode?: true | undefined;
}

export async function runPlan(session: Session, fileName: string, options: ShowOptions): Promise<number> {
  const { io } = session;
  const plan = await planFor(session, fileName, options);
  if (options.json) await io.printJson(planJson(plan));
  else if (options.markdown) await io.write(planMarkdown(plan, fileName));
  else await printPlan(io, plan, fileName);
  if (plan.problems.length > 0) return EXIT_CODES.failed.code;
  return options.exitCode && !isEmpty(plan) ? EXIT_CODES.changes.code : EXIT_CODES.ok.code;
}

export async function planFor({ io, hoplink }: Session, fileName: string, options: PlanOptions): Promise<Plan> {
  const parsed = await readLinksFile(io, fileName);
  const { file } = parsed;
  if (options.prune && file.managed_by === undefined) {
    throw usageFailure(
      "--prune requires managed_by in the file, because it deletes only links with that tag",
      "Add the line managed_by: TAG, and apply the file once without --prune.",
    );
  }
  const situation = await readSituation(hoplink, file, { signal: io.signal });
  const plan = makePlan(parsed, situation, options.prune ?? false, options.setPasswords);
  if (options.backtest) {
    const onDone = (done: number, all: number) => io.progress.show(done, all, "links tested on past clicks");
    plan.change = await withBacktests(hoplink, plan.change, { signal: io.signal, onDone });
    io.progress.clear();
  }
  return plan;
}

export async function printPlan(io: Io, plan: Plan, fileName: string): Promise<void> {
  const lines = planLines(plan, fileName);
  const kept = keptLinks(plan);
  const painted = lines.map(({ mark, text }) => painterOf(io, mark)(`${mark} ${text}`));
  await io.print(...painted, ...(lines.length > 0 ? [""] : []), planSummary(plan), ...(kept === null ? [] : [kept]));
}

function painterOf({ colors }: Io, mark: Mark): (text: string) => string {
  const painters = { "+": colors.green, "-": colors.red, "~": colors.yellow, "!": colors.magenta, " ": colors.dim };
  return painters[mark];
}

export interface FileOnDisk extends ParsedFile {
  text: string;
}

/** Prints the problems of an invalid file to stderr. @throws Failure if the file is missing or invalid */
export async function readLinksFile(io: Io, name: string): Promise<FileOnDisk> {
  const text = await readTextIfThere(name);
  if (text === null) throw usageFailure(`File not found: ${name}`, `To create it, run: hoplink pull ${name}`);
  const read = parseLinksFile(text);
  if (!("problems" in read)) return { text, ...read };
  for (const { line, column, message } of read.problems) {
    io.note(`${[name, line, column].filter((part) => part !== undefined).join(":")} ${message}`);
  }
  throw new Failure(`${name} has ${read.problems.length === 1 ? "1 problem" : `${read.problems.length} problems`}`);
}
