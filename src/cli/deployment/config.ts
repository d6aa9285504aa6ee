/**
 * The configuration of a deployment: the committed one, with the names, IDs and hosts of this installation. Pure;
 * `config-file.ts` reads and writes the files.
 */
import type { Unstable_RawConfig as RawConfig } from "wrangler";

import { crc32 } from "../../core/encoding/bytes.ts";

/** Path from the folder of installations' configurations to that of the committed one. */
const TO_ROOT = "../..";
/**
 * The platform's default. A lower limit would also reset objects in the middle of a scan. It is sent because the Free
 * plan refuses any limit, which reveals the plan if the token may not read the subscriptions (deploy.ts).
 */
const PAID_LIMITS = { cpu_ms: 30_000 };
export const IMAGES_BINDING = "QR_IMAGES";
export const SALTS_BINDING = "VISITOR_SALTS";
/** Namespaces of rate limits are shared by all Workers of an account. */
const NAMESPACES_OF_AN_INSTALLATION = 1_000;
const INSTALLATIONS = 1_000_000;

export interface BoundDatabase {
  binding: string;
  name: string;
  id: string;
}

export interface Installation {
  /** Id of the account: wrangler asks for it if a login has several. */
  account: string;
  /** The Worker's name. */
  name: string;
  /** The accounts' database, `DB`, then others for links (store/directory/database-map.ts). */
  databases: readonly BoundDatabase[];
  /** Null without R2. */
  bucket: string | null;
  /** Id of the KV namespace of visitors' salts; null if visitors are not distinguished. */
  salts: string | null;
  hasPaidPlan: boolean;
  /** Variables that this deployment sets. The deployed Worker's other variables stay as they are. */
  variables: Record<string, string>;
}

/** The same configuration in another folder: wrangler resolves its paths from the folder of the file. */
export function withPathsFrom(root: string, config: RawConfig): RawConfig {
  const { main = "", alias = {}, assets, d1_databases = [] } = config;
  return {
    ...config,
    main: `${root}/${main}`,
    alias: Object.fromEntries(Object.entries(alias).map(([module, path]) => [module, `${root}/${path}`])),
    ...(assets && { assets: { ...assets, directory: `${root}/${assets.directory}` } }),
    d1_databases: d1_databases.map(({ migrations_dir = "migrations", ...one }) => ({
      ...one,
      migrations_dir: `${root}/${migrations_dir}`,
    })),
  };
}

export function deploymentConfig(committed: RawConfig, installation: Installation): RawConfig {
  const { account, name, databases, bucket, salts, hasPaidPlan, variables } = installation;
  const { limits = PAID_LIMITS, r2_buckets = [], kv_namespaces = [], ...config } = withPathsFrom(TO_ROOT, committed);
  const { d1_databases: [{ migrations_dir = "" } = {}] = [], ratelimits = [] } = config;
  return {
    ...config,
    account_id: account,
    name,
    d1_databases: databases.map(({ binding, name: database_name, id }) => ({
      binding,
      database_name,
      database_id: id,
      migrations_dir,
    })),
    ...(bucket !== null && {
      // The committed file may lack the bucket: the guide's deploy button without R2 deletes it.
      r2_buckets: [
        ...r2_buckets.filter(({ binding }) => binding !== IMAGES_BINDING),
        { binding: IMAGES_BINDING, bucket_name: bucket },
      ],
    }),
    ...(salts !== null && {
      kv_namespaces: kv_namespaces.map((one) => (one.binding === SALTS_BINDING ? { ...one, id: salts } : one)),
    }),
    ratelimits: ratelimits.map((one) => ({
      ...one,
      namespace_id: namespaceId(one.namespace_id, name === committed.name ? null : name),
    })),
    ...(hasPaidPlan && { limits }),
    vars: { ...committed.vars, WORKERS_PLAN: hasPaidPlan ? "paid" : "free", ...variables },
  };
}

/** Gives each further installation in an account separate rate limits. */
function namespaceId(id: string, installation: string | null): string {
  if (installation === null) return id;
  const number = 1 + (crc32(new TextEncoder().encode(installation)) % INSTALLATIONS);
  return String(Number(id) + number * NAMESPACES_OF_AN_INSTALLATION);
}

/** Names from the committed configuration; for a Worker with another name, they are derived from that name. */
export function installationNames(committed: RawConfig, wanted: string | undefined) {
  const name = wanted ?? committed.name ?? "hoplink";
  const own = name === committed.name ? committed : {};
  return {
    name,
    database: own.d1_databases?.[0]?.database_name ?? name,
    bucket: own.r2_buckets?.[0]?.bucket_name ?? `${name}-qr`,
    // The name that wrangler gives to one it creates.
    salts: `${name}-visitor-salts`,
  };
}

/** The name of a database for links that is not bound yet. */
export function linkDatabaseName(home: string, binding: string): string {
  return `${home}-${binding.toLowerCase().replace("_", "-")}`;
}
