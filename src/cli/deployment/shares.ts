/** Which version of a Worker visitors get, and to which one it can go back. Pure. */

export interface Share {
  version_id: string;
  percentage: number;
}

export interface Deployment {
  id: string;
  created_on: string;
  versions: Share[];
}

export interface Version {
  id: string;
  /** Counts up. */
  number: number;
  metadata: { created_on: string };
  annotations?: Record<string, string>;
}

/** What an upgrade gives the new version until it was checked. */
export const NEW_SHARE_PERCENT = 10;
const ALL = 100;

/** @returns the version with the largest share */
export function mainVersion({ versions }: Pick<Deployment, "versions">): string | null {
  return versions.toSorted((a, b) => b.percentage - a.percentage)[0]?.version_id ?? null;
}

/** @returns the version beside the main one, while an upgrade is under way */
export function newVersion(deployment: Pick<Deployment, "versions">): string | null {
  const main = mainVersion(deployment);
  return deployment.versions.find(({ version_id }) => version_id !== main)?.version_id ?? null;
}

export function allTo(version: string): Share[] {
  return [{ version_id: version, percentage: ALL }];
}

export function shareOf(version: string, percentage: number, rest: string): Share[] {
  return [
    { version_id: rest, percentage: ALL - percentage },
    { version_id: version, percentage },
  ];
}

/**
 * What a rollback leads to: while an upgrade is under way, the version that most visitors still get; else the newest
 * version before the present one that once served all of them. One that failed its check never did.
 * @param deployments  newest first
 */
export function rollbackTarget(deployments: readonly Deployment[], versions: readonly Version[]): Version | null {
  const [present] = deployments;
  const current = present && mainVersion(present);
  if (!current) return null;
  const find = (id: string) => versions.find((version) => version.id === id) ?? null;
  if (newVersion(present) !== null) return find(current);
  const number = find(current)?.number ?? Infinity;
  const served = new Set(deployments.flatMap((one) => (one.versions.length === 1 ? (mainVersion(one) ?? []) : [])));
  const earlier = versions.filter((version) => served.has(version.id) && version.number < number);
  return earlier.toSorted((a, b) => b.number - a.number)[0] ?? null;
}
