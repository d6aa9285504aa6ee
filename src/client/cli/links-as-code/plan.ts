/**
 * `hoplink plan` shows what a file would change, `apply` changes it, and `pull` writes the account's links to the file.
 */
import { addressKey } from "../../../core/links/case-folding.ts";
import { figure } from "../../../core/limits.ts";
import type { BacktestLink } from "../../api-types.ts";
import { HoplinkConnectionError, HoplinkError } from "../../errors.ts";
import type { Hoplink } from "../../index.ts";
import { type Applied, applyPlan, inParallel, readSituation } from "../../plan/apply.ts";
import { addressOf, addressText, hasTag } from "../../plan/links-file.ts";
import { type ParsedFile, parseLinksFile } from "../../plan/parse.ts";
import {
  keptLinks,
  linksText,
  type Mark,
  planJson,
  planLines,
  planMarkdown,
  planSummary,
} from "../../plan/plan-text.ts";
import {
  type BacktestOutcome,
  caseSensitiveDomains,
  type Change,
  type CurrentLink,
  isEmpty,
  makePlan,
  type Plan,
  redirects,
  type Situation,
} from "../../plan/plan.ts";
import { newLinksFile, updatedLinksFile } from "../../plan/written-file.ts";
import { EXIT_CODES, Failure, interrupted, type Outcome, usageFailure } from "../errors.ts";
import { modeOf, readTextIfThere, replaceFile } from "../files.ts";
import { confirm, type Io } from "../io.ts";
import type { Session } from "../session.ts";

/** Node 20 lacks `URL.parse`, which the schemas of links use. */
const Url: { parse?: typeof URL.parse } = URL;

Url.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null);

interface PlanOptions {
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

async function planFor({ io, hoplink }: Session, fileName: string, options: PlanOptions): Promise<Plan> {
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
    const onDone = (done: number, all: number) => io.showProgress(done, all, "links tested on past clicks");
    plan.change = await withBacktests(hoplink, plan.change, { signal: io.signal, onDone });
    io.clearProgress();
  }
  return plan;
}

async function printPlan(io: Io, plan: Plan, fileName: string): Promise<void> {
  const lines = planLines(plan, fileName);
  const kept = keptLinks(plan);
  const painted = lines.map(({ mark, text }) => painterOf(io, mark)(`${mark} ${text}`));
  await io.print(...painted, ...(lines.length > 0 ? [""] : []), planSummary(plan), ...(kept === null ? [] : [kept]));
}

function painterOf({ colors }: Io, mark: Mark): (text: string) => string {
  const painters = { "+": colors.green, "-": colors.red, "~": colors.yellow, "!": colors.magenta, " ": colors.dim };
  return painters[mark];
}

interface FileOnDisk extends ParsedFile {
  text: string;
}

/** Prints the problems of an invalid file to stderr. @throws Failure if the file is missing or invalid */
async function readLinksFile(io: Io, name: string): Promise<FileOnDisk> {
  const text = await readTextIfThere(name);
  if (text === null) throw usageFailure(`File not found: ${name}`, `To create it, run: hoplink pull ${name}`);
  const read = parseLinksFile(text);
  if (!("problems" in read)) return { text, ...read };
  for (const { line, column, message } of read.problems) {
    io.note(`${[name, line, column].filter((part) => part !== undefined).join(":")} ${message}`);
  }
  throw new Failure(`${name} has ${read.problems.length === 1 ? "1 problem" : `${read.problems.length} problems`}`);
}

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
  const onProgress = (done: number, all: number) => io.showProgress(done, all, "links");
  const applied = await applyPlan(hoplink, plan, { signal: io.signal, onProgress });
  io.clearProgress();
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

/** Mode of a new file: anyone with access to the folder may read it. */
const FILE_MODE = 0o644;

interface PullOptions {
  tag?: string | undefined;
  all?: true | undefined;
  json?: true | undefined;
}

export async function runPull(session: Session, fileName: string, options: PullOptions): Promise<number> {
  const { io, hoplink, connection } = session;
  const file = (await readTextIfThere(fileName)) === null ? null : await readLinksFile(io, fileName);
  const tag = options.tag ?? (options.all ? undefined : file?.file.managed_by);
  const about = { domain: file?.file.domain, managed_by: tag, links: file?.file.links ?? [] };
  const situation = await readSituation(hoplink, about, { signal: io.signal, everything: tag === undefined });
  const links = wantedLinks(situation, file, tag);
  const caseSensitive = caseSensitiveDomains(situation);
  const source = { links, caseSensitive, defaultDomain: situation.defaultDomain };
  const schemaUrl = `${connection.url}/docs/links.schema.json`;
  const text = file ? updatedLinksFile(file.text, file, source) : newLinksFile(source, schemaUrl);
  const isNew = text !== file?.text;
  if (isNew) await replaceFile(fileName, text, await modeOf(fileName, FILE_MODE));
  if (options.json) await io.printJson({ file: fileName, links: links.length, changed: isNew });
  else if (isNew) await io.print(`Wrote ${linksText(links.length)} to ${fileName}.`);
  else await io.print(`${fileName} is up to date (${linksText(links.length)}).`);
  return EXIT_CODES.ok.code;
}

/** The links with the tag, or all without one; and those that are already in the file. */
function wantedLinks(situation: Situation, file: FileOnDisk | null, tag: string | undefined): readonly CurrentLink[] {
  if (tag === undefined) return situation.links;
  const caseSensitive = caseSensitiveDomains(situation);
  const own = new Set(
    file?.file.links.map((link) =>
      addressKey(addressOf(link, file.file.domain, situation.defaultDomain), caseSensitive),
    ),
  );
  return situation.links.filter((link) => hasTag(link.tags, tag) || own.has(addressKey(link, caseSensitive)));
}

/** Each one reads 30 days of the link's clicks. */
const BACKTESTS_MAX = 100;
const BACKTESTS_AT_ONCE = 4;

/**
 * Counts the past clicks that changed links would have sent elsewhere.
 * @param onDone  called after each, with the number completed and the total
 */
async function withBacktests(
  hoplink: Hoplink,
  changes: readonly Change[],
  { signal, onDone }: { signal: AbortSignal; onDone: (done: number, all: number) => void },
): Promise<Change[]> {
  const tried = new Set(changes.filter(redirects).slice(0, BACKTESTS_MAX));
  let done = 0;
  return inParallel(BACKTESTS_AT_ONCE, changes, async (change) => {
    if (!redirects(change)) return change;
    if (!tried.has(change)) return { ...change, backtest: { notTried: `limited to ${BACKTESTS_MAX} links` } };
    const backtest = await tryOn(hoplink, change, signal);
    onDone(++done, tried.size);
    return { ...change, backtest };
  });
}

async function tryOn(hoplink: Hoplink, { current, members }: Change, signal: AbortSignal): Promise<BacktestOutcome> {
  const after = Object.fromEntries(members.map(({ member, after: value }) => [member, value]));
  const body = {
    url: after["url"] ?? current.url,
    routing: after["routing"] ?? ("routing" in after ? [] : current.routing),
  };
  try {
    const { clicks, moved, undecided, from, to } = await hoplink.links.backtest(current.id, body as BacktestLink, {
      signal,
    });
    return { clicks, moved, undecided, from, to };
  } catch (error) {
    // The plan is valid without it.
    if (error instanceof HoplinkError || error instanceof HoplinkConnectionError) return { notTried: error.message };
    throw error;
  }
}
