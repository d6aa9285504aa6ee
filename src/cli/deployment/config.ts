/**
 * The configuration that a deployment is made with: the committed one, with the names, ids and hosts of this
 * installation. Decides only; `config-file.ts` reads and writes.
 */
import type { Unstable_RawConfig as RawConfig } from "wrangler";

import { crc32 } from "../../core/encoding/crc32.ts";

/** No request of the service needs more; it bounds what a runaway one costs. Only the paid plan takes limits. */
const PAID_LIMITS = { cpu_ms: 10_000 };
export const IMAGES_BINDING = "QR_IMAGES";
export const SALTS_BINDING = "VISITOR_SALTS";
/** Namespaces of rate limits are shared by all Workers of an account. */
const NAMESPACES_OF_AN_INSTALLATION = 1_000;
const INSTALLATIONS = 1_000_000;

export interface Installation {
  /** Id of the account: wrangler asks for it where a login has several. */
  account: string;
  /** Of the Worker. */
  name: string;
  /** That of accounts; it may have links as well. */
  database: { name: string; id: string };
  /** More databases for links (core/links/database-map.ts). */
  linkDatabases: readonly { binding: string; name: string; id: string }[];
  /** Null without R2. */
  bucket: string | null;
  /** Id of the KV namespace of visitors' salts; null where visitors are not told apart. */
  salts: string | null;
  hasPaidPlan: boolean;
  /** Variables that this deployment sets. Others that the deployed Worker has stay as they are. */
  variables: Record<string, string>;
}

/** @param toRoot  from the folder of the new configuration to that of the committed one */
export function deploymentConfig(committed: RawConfig, installation: Installation, toRoot: string): RawConfig {
  const { account, name, database, linkDatabases, bucket, salts, variables } = installation;
  const { limits, r2_buckets = [], kv_namespaces = [], ...config } = committed;
  return {
    ...config,
    account_id: account,
    name,
    ...(config.main === undefined ? {} : { main: `${toRoot}/${config.main}` }),
    ...(config.assets?.directory === undefined
      ? {}
      : { assets: { ...config.assets, directory: `${toRoot}/${config.assets.directory}` } }),
    d1_databases: (config.d1_databases ?? []).flatMap(({ binding, migrations_dir = "migrations" }) =>
      [{ ...database, binding }, ...linkDatabases].map((one) => ({
        binding: one.binding,
        database_name: one.name,
        database_id: one.id,
        migrations_dir: `${toRoot}/${migrations_dir}`,
      })),
    ),
    ...(bucket === null
      ? {}
      : {
          r2_buckets: r2_buckets.map((one) => (one.binding === IMAGES_BINDING ? { ...one, bucket_name: bucket } : one)),
        }),
    ...(salts === null
      ? {}
      : { kv_namespaces: kv_namespaces.map((one) => (one.binding === SALTS_BINDING ? { ...one, id: salts } : one)) }),
    ratelimits: (config.ratelimits ?? []).map((one) => ({
      ...one,
      namespace_id: namespaceId(one.namespace_id, name === committed.name ? null : name),
    })),
    ...(installation.hasPaidPlan ? { limits: limits ?? PAID_LIMITS } : {}),
    vars: { ...committed.vars, WORKERS_PLAN: installation.hasPaidPlan ? "paid" : "free", ...variables },
  };
}

/** A second installation in an account counts its own requests. */
function namespaceId(id: string, installation: string | null): string {
  if (installation === null) return id;
  const number = 1 + (crc32(new TextEncoder().encode(installation)) % INSTALLATIONS);
  return String(Number(id) + number * NAMESPACES_OF_AN_INSTALLATION);
}

/** Names as the committed configuration has them, unless others are wanted. */
export function installationNames(committed: RawConfig, wanted: { name?: string; database?: string; bucket?: string }) {
  const name = wanted.name ?? committed.name ?? "hoplink";
  const isSecond = name !== committed.name;
  const databaseName = committed.d1_databases?.[0]?.database_name;
  const bucketName = committed.r2_buckets?.[0]?.bucket_name;
  return {
    name,
    database: wanted.database ?? (isSecond || !databaseName ? name : databaseName),
    bucket: wanted.bucket ?? (isSecond || !bucketName ? `${name}-qr` : bucketName),
    // As wrangler names it where it makes it.
    salts: `${name}-visitor-salts`,
  };
}

/** The name of a database for links, where none is bound yet. */
export function linkDatabaseName(home: string, binding: string): string {
  return `${home}-${binding.toLowerCase().replace("_", "-")}`;
}
