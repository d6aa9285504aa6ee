/** The steps of `npm run rollback`: gives all visitors an earlier version, and prints how to restore its database. */
import { SetupError } from "../command.ts";
import type { BoundDatabase } from "./config.ts";
import { type Connection, connect, connectDatabases } from "./connection.ts";
import type { Dialog } from "./dialog.ts";
import { followNewLink, waitUntilServing } from "./health.ts";
import type { RollbackOptions } from "./options.ts";
import { assertLinksFound } from "./resources.ts";
import { type Deployment, mainVersion, rollbackTarget, type Version } from "./versions.ts";

const BOOKMARK = /database before: ([\w-]{8,80})/;

export interface RollbackOutcome {
  url: string;
  version: string;
  before: string;
  /** The command that restores the databases to before the version that was left; null if the bookmark is unknown. */
  restore: string | null;
  /** The short URL that was followed. */
  link: string;
}

export async function rollBack(options: RollbackOptions, dialog: Dialog): Promise<RollbackOutcome | null> {
  const connection = await connect(options.name, dialog);
  const { versions, baseUrl } = connection;
  const [deployments, all] = await Promise.all([versions.deployments(), versions.list()]);
  const [present] = deployments;
  for (const version of all) dialog.note(`    ${describeVersion(version, present)}`);
  if (options.list) return null;
  const current = present && mainVersion(present);
  const target = options.to === undefined ? rollbackTarget(deployments, all) : findVersion(all, options.to);
  if (!current || !target)
    throw new SetupError(
      "No earlier version has ever served all visitors. To choose a version yourself, use --list and --to ID.",
    );

  await assertReversible(connection, target);
  await dialog.step(`Version ${target.id}`, () => versions.deploy(target.id, "Rollback"));
  const { all: databases, rows } = await connectDatabases(connection);
  await waitUntilServing(baseUrl, dialog);
  const link = await followNewLink(rows, { baseUrl }, dialog);
  return { url: baseUrl, version: target.id, before: current, restore: restoreCommandOf(databases, all, target), link };
}

/** @throws SetupError if objects were migrated after the version, or links moved to other databases */
async function assertReversible({ versions, deployed }: Connection, target: Version): Promise<void> {
  const { migrationTag: tag, variables } = await versions.worker(target.id);
  assertLinksFound(deployed.variables, variables);
  if (tag === null || tag === deployed.migrationTag) return;
  throw new SetupError(
    `Version ${target.id} predates the Durable Object migration ${deployed.migrationTag}, and Cloudflare cannot roll back past a migration. Nothing was changed. Check out the release that you want, keep the newer [[migrations]] in wrangler.toml, and run \`npm run upgrade\`.`,
  );
}

/** @throws SetupError unless exactly one version ID begins with the text */
function findVersion(versions: readonly Version[], wanted: string): Version {
  const [found, ...others] = versions.filter(({ id }) => id.startsWith(wanted));
  if (found && others.length === 0) return found;
  throw new SetupError(
    `${found ? "Several version IDs begin" : "No version ID begins"} with ${wanted}. To list the versions, use --list.`,
  );
}

/** Uses the bookmark of the version after the target, recorded before the databases were migrated for it. */
function restoreCommandOf(databases: readonly BoundDatabase[], versions: readonly Version[], target: Version) {
  const later = versions.filter(({ number }) => number > target.number).toSorted((a, b) => a.number - b.number);
  for (const { annotations, metadata } of later) {
    const bookmark = BOOKMARK.exec(annotations?.["workers/message"] ?? "")?.[1];
    if (bookmark) return restoreCommand(databases, bookmark, metadata.created_on);
  }
  return null;
}

/**
 * A version's message has room for one bookmark, that of the accounts' database; the others are restored by time.
 * @param time  of the version that was left
 */
export function restoreCommand(databases: readonly BoundDatabase[], bookmark: string, time: string): string {
  const commands = databases.map(({ name }, index) => {
    const point = index === 0 ? `--bookmark=${bookmark}` : `--timestamp=${time}`;
    return `npx wrangler d1 time-travel restore ${name} ${point}`;
  });
  return [...commands, "npm run admin -- restored --remote"].join(" && ");
}

function describeVersion({ id, metadata }: Version, present: Deployment | undefined): string {
  const share = present?.versions.find(({ version_id }) => version_id === id)?.percentage;
  return `${id}  ${metadata.created_on}${share === undefined ? "" : `  ${share} %`}`;
}
