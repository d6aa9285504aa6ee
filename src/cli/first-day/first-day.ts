/** The steps of `npm run first-day`: deploys an installation, measures it, writes the report and removes it again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { visibleText } from "../../client/cli/terminal-text.ts";
import { isFreePlan } from "../../core/deployment/settings.ts";
import { createAccount } from "../../store/accounts/accounts.ts";
import { issueKeyText } from "../../store/accounts/api-keys.ts";
import { MIGRATIONS } from "../../store/operators/migrations.ts";
import { EXIT, interruptible, SetupError, textOf } from "../command.ts";
import { type CloudConnection, connectAccount, readWorkersDevName } from "../deployment/account.ts";
import { installationNames } from "../deployment/config.ts";
import { accountOf, committedConfig } from "../deployment/config-file.ts";
import { connectDatabases, connectWorker } from "../deployment/connection.ts";
import { MIGRATIONS_FOLDER } from "../deployment/deploy.ts";
import type { Dialog } from "../deployment/dialog.ts";
import { findConflicts } from "../deployment/domains.ts";
import type { FirstDayOptions } from "../deployment/options.ts";
import { setUp } from "../deployment/set-up.ts";
import * as measures from "./measures.ts";
import { createMarkedDatabase, type Names, leftHint, removeAll, requireFree } from "./removal.ts";

type Measurement = measures.Measurement;
/** Findings, or the reason why there are none. */
type Section = [title: string, findings: Measurement[] | string];

const INTERRUPTED =
  "\nInterrupted: the current step ends, then everything is removed. Press Ctrl-C again to exit immediately.";
const NO_NAME =
  "The account has no workers.dev subdomain, and this command could not remove one again. Choose one in Cloudflare's dashboard first.";

/** Usage comes last, because the analytics lag. */
const MEASURES: Record<string, (measured: measures.Measured) => Promise<Measurement[]>> = {
  Deployment: measureDeployment,
  Places: measures.measurePlaces,
  "Rows written": measures.measureRows,
  Samples: measures.measureSamples,
  Redirects: measures.measureRedirects,
  "Live stream": measures.measureStream,
  Usage: measures.measureUsage,
};

/**
 * @returns the path of the report, null if only leftovers were removed; the number of measurements, and of those that
 * differ from the documentation; the number of sections that could not be measured
 */
export async function firstDay(options: FirstDayOptions, dialog: Dialog) {
  const names = installationNames(committedConfig(), `hoplink-${options.name}`);
  const known = accountOf(names.name);
  const cloud = await connectAccount(known, dialog);
  // Its file would be overwritten, and finally removed.
  if (known !== null && known !== cloud.account.id)
    throw new SetupError(`${names.name} was deployed from here to the account ${known}. Choose another --name.`);
  if (options.remove) {
    await removeAll(cloud, names, dialog);
    return { report: null, measured: 0, differing: 0, unmeasured: 0 };
  }
  await dialog.step("Names are available", () => requireRoom(cloud, names, options));
  const sections: Section[] = [];
  await interruptible(
    async (signal) => {
      signal.addEventListener("abort", () => dialog.note(INTERRUPTED));
      dialog.signal = signal;
      const over = new AbortController();
      const run = { cloud, names, options, dialog, signal: AbortSignal.any([signal, over.signal]) };
      const failure = await measure(sections, run).then(() => null, textOf);
      // A stream that was not refused would be followed forever.
      over.abort();
      // Ctrl-C does not prevent the remaining steps.
      dialog.signal = null;
      if (failure !== null) sections.push(["Stopped early", failure]);
      const steps = dialog.steps.map(
        ({ name, outcome, seconds }): Measurement => [name, `${outcome} ${seconds.toFixed(1)} s`],
      );
      sections.push(["Steps", steps]);
      const unwritten = writeReport(options.out, formatReport(sections), dialog);
      await removeAll(cloud, names, dialog);
      const place = unwritten ?? `The measurements are in ${options.out}.`;
      const end = failure ?? (signal.aborted ? "Interrupted." : "Measurements completed.");
      const message = `${end} The installation was removed. ${place}`;
      if (signal.aborted) throw new SetupError(message, EXIT.interrupted);
      if (failure !== null || unwritten !== null) throw new SetupError(message);
    },
    () => `Exited immediately. ${leftHint(names, options.domain)}`,
  );
  const results = sections.flatMap(([, findings]) => (typeof findings === "string" ? [] : findings.map(resultOf)));
  const measured = results.filter((result) => result !== "").length;
  const differing = results.filter((result) => result === "differs").length;
  const unmeasured = sections.filter(([, findings]) => typeof findings === "string").length;
  return { report: options.out, measured, differing, unmeasured };
}

/** Prints the report if it cannot be written, because it took an hour. @returns why it could not be written */
function writeReport(path: string, report: string, dialog: Dialog): string | null {
  try {
    writeFileSync(path, report);
    return null;
  } catch (error) {
    dialog.note(report);
    return `The report could not be written, so it is printed above: ${textOf(error)}`;
  }
}

/** @throws SetupError if a run would change existing resources, or create some that cannot be removed */
async function requireRoom(cloud: CloudConnection, names: Names, { domain, out }: FirstDayOptions): Promise<void> {
  // A report that cannot be written is detected before anything is created.
  writeFileSync(out, "", { flag: "a" });
  await requireFree(cloud, names);
  if ((await readWorkersDevName(cloud)) === null) throw new SetupError(NO_NAME);
  const conflicts = domain === undefined ? [] : await findConflicts(cloud, names.name, [domain]);
  if (conflicts.length > 0) throw new SetupError(`${conflicts.join("; ")}. Choose an unused host.`);
}

/** @param sections  filled with the results @throws Error if the deployment fails, or Ctrl-C is pressed */
async function measure(sections: Section[], run: measures.FirstDay): Promise<void> {
  const measured = await deploy(run);
  for (const [title, findingsOf] of Object.entries(MEASURES)) {
    sections.push([title, await run.dialog.step(title, () => findingsOf(measured)).catch(textOf)]);
    run.signal.throwIfAborted();
  }
}

async function deploy(run: measures.FirstDay): Promise<measures.Measured> {
  const { cloud, names, options, dialog } = run;
  const since = Date.now();
  await dialog.step("Marked database", () => createMarkedDatabase(cloud, names));
  const { plan, domain, skipBuild = false } = options;
  const chosen = { ...(domain && { domain }), ...(plan && { var: { WORKERS_PLAN: plan } }) };
  await setUp({ name: names.name, r2: true, yes: true, ...(skipBuild && { skipBuild }), ...chosen }, dialog, cloud);
  const connection = await connectWorker(cloud, names.name, dialog);
  const { rows, all } = await connectDatabases(connection);
  const account = await createAccount(rows, "first-day@hoplink.invalid", "premium");
  if (!account || !all[0]) throw new Error("The installation does not belong to this run.");
  const key = await issueKeyText(rows, account.id, "live", "First day");
  const isFree = isFreePlan(connection.deployed.variables);
  // The setup has followed a link.
  const clicks = new Map([["", 1]]);
  return {
    ...run,
    connection,
    rows,
    databaseId: all[0].id,
    accountId: account.id,
    key,
    isFree,
    since,
    clicks,
    reads: { count: 0 },
  };
}

async function measureDeployment({ dialog, isFree, connection }: measures.Measured): Promise<Measurement[]> {
  const files = MIGRATIONS.map((name) => readFileSync(join(MIGRATIONS_FOLDER, name), "utf8"));
  // Each statement is on one line.
  const statements = files.join("\n").match(/\S.*/g)?.length ?? 0;
  const way = dialog.steps.find(({ name }) => name === "Migrations")?.outcome ?? "not applied";
  const unmeasurable = "CPU time limits, the service in the Worker, streams longer than a minute";
  return [
    [`Migrations of ${statements} statements`, way, "applied by query"],
    ["Workers plan", isFree ? `Free (not measured on it: ${unmeasurable})` : "Paid"],
    ["URL", connection.baseUrl],
  ];
}

function resultOf([, measured, documented, agrees = measured === documented]: Measurement): string {
  return documented === undefined ? "" : agrees ? "agrees" : "differs";
}

function formatReport(sections: readonly Section[]): string {
  const parts = sections.map(([title, findings]) => {
    if (typeof findings === "string") return `## ${title}\n\nNot measured: ${cell(findings)}\n`;
    const rows = findings.map((finding) => [...finding.slice(0, 2), finding[2] ?? "", resultOf(finding)]);
    const lines = [["Measurement", "Measured", "Documented", "Result"], ["---", "---", "---", "---"], ...rows];
    return `## ${title}\n\n${lines.map((cells) => `| ${cells.map(cell).join(" | ")} |\n`).join("")}`;
  });
  return [`# First day\n\nWritten by \`npm run first-day\` at ${new Date().toISOString()}.\n`, ...parts].join("\n");
}

/** Texts come from Cloudflare and from programs: none may end its cell or its line. */
function cell(text: unknown): string {
  return visibleText(String(text).replaceAll("\n", " ")).replaceAll(/[\\|<[`]/g, String.raw`\$&`);
}
