/** The steps of `npm run rollback`: gives all visitors an earlier version, and says how the database can follow. */
import { type Connection, connect, connectDatabase } from "./connection.ts";
import { followNewLink, waitUntilServing } from "./link-check.ts";
import type { Progress } from "./progress.ts";
import type { Questions } from "./questions.ts";
import { SetupError } from "./setup-error.ts";
import { allTo, type Deployment, mainVersion, rollbackTarget, type Version } from "./shares.ts";

const BOOKMARK = /database before: ([\w-]{8,80})/;

export interface RollbackOptions {
  name?: string | undefined;
  /** Id of a version, or how it begins. */
  to?: string | undefined;
  /** Lists the versions only. */
  list?: boolean | undefined;
}

export interface RollbackOutcome {
  url: string;
  version: string;
  before: string;
  /** Sets the database back to before the version that was left; null where its bookmark is not known. */
  restore: string | null;
  /** The short URL that was followed. */
  link: string;
}

export async function rollBack(
  options: RollbackOptions,
  progress: Progress,
  questions: Questions,
): Promise<RollbackOutcome | null> {
  const connection = await connect(options.name, progress, questions);
  const { versions, baseUrl } = connection;
  const [deployments, all] = await Promise.all([versions.deployments(), versions.list()]);
  for (const line of describeVersions(deployments[0], all)) progress.note(`    ${line}`);
  if (options.list) return null;
  const current = deployments[0] && mainVersion(deployments[0]);
  const target = options.to === undefined ? rollbackTarget(deployments, all) : findVersion(all, options.to);
  if (!current || !target) throw new SetupError("There is no earlier version that has served all visitors.");

  await assertSameObjects(connection, target);
  await progress.step(`Version ${target.id}`, () => versions.deploy(allTo(target.id), "Rollback"));
  const { rows, name } = await connectDatabase(connection);
  await progress.step("First response", () => waitUntilServing(baseUrl, (text) => progress.note(`    ${text}`)));
  const link = await progress.step(
    "Link made, followed and deleted",
    () => followNewLink(rows, baseUrl),
    (url) => url,
  );
  const bookmark = bookmarkOf(all, target);
  const restore = bookmark === null ? null : restoreCommand(name, bookmark);
  return { url: baseUrl, version: target.id, before: current, restore, link };
}

/** @throws SetupError when objects were migrated after the version */
async function assertSameObjects({ versions, deployed }: Connection, target: Version): Promise<void> {
  const { migrationTag: tag } = await versions.worker(target.id);
  if (tag === null || tag === deployed.migrationTag) return;
  throw new SetupError(
    `Version ${target.id} is from before the Durable Object migration ${deployed.migrationTag}, and Cloudflare does not go back across one. Nothing was changed: check out the release that you want, keep the newer [[migrations]] in wrangler.toml, and run \`npm run upgrade\`.`,
  );
}

/** @throws SetupError when none or several begin like that */
function findVersion(versions: readonly Version[], wanted: string): Version {
  const [found, ...others] = versions.filter(({ id }) => id.startsWith(wanted));
  if (found && others.length === 0) return found;
  throw new SetupError(`${found ? "Several versions begin" : "No version begins"} with ${wanted}.`);
}

/** Of the version that came after the target: it was noted before the database was migrated for it. */
function bookmarkOf(versions: readonly Version[], target: Version): string | null {
  const later = versions.filter(({ number }) => number > target.number).toSorted((a, b) => a.number - b.number);
  for (const { annotations } of later) {
    const bookmark = BOOKMARK.exec(annotations?.["workers/message"] ?? "")?.[1];
    if (bookmark) return bookmark;
  }
  return null;
}

export function restoreCommand(database: string, bookmark: string): string {
  return `npx wrangler d1 time-travel restore ${database} --bookmark=${bookmark} && npm run admin -- restored --remote`;
}

function describeVersions(present: Deployment | undefined, versions: readonly Version[]): string[] {
  return versions.map(({ id, metadata }) => {
    const share = present?.versions.find(({ version_id }) => version_id === id)?.percentage;
    return `${id}  ${metadata.created_on}${share === undefined ? "" : `  ${share} %`}`;
  });
}
