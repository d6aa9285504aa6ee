/** The contents of an account of the stand-in for Cloudflare. */
import type { Buffer } from "node:buffer";

import type { WorkerModule } from "../workerd.ts";

export interface Binding {
  name: string;
  type: string;
  [detail: string]: unknown;
}

export interface Version {
  id: string;
  number: number;
  createdOn: string;
  /** The first is the entry. */
  modules: WorkerModule[];
  bindings: Binding[];
  compatibilityDate: string;
  compatibilityFlags: string[];
  assets: { files: Manifest; config: Record<string, unknown> } | null;
  limits: Record<string, unknown> | null;
  /** Tag of the objects' migrations when the version was uploaded. */
  migrationTag: string | null;
  annotations: Record<string, string>;
}

/** Path of a static asset to its content's hash. */
export type Manifest = Record<string, { hash: string; size: number }>;

export interface Deployment {
  id: string;
  createdOn: string;
  versions: { version_id: string; percentage: number }[];
  annotations: Record<string, string>;
}

export interface Script {
  name: string;
  tag: string;
  createdOn: string;
  /** Oldest first. */
  versions: Version[];
  /** Oldest first. */
  deployments: Deployment[];
  migrationTag: string | null;
  /** Classes of objects, and whether they store in SQLite. */
  classes: Map<string, boolean>;
  onWorkersDev: boolean;
  previews: boolean;
  crons: string[];
  /** Settings that do not belong to a version: logs, tags. */
  settings: Record<string, unknown>;
}

export interface Database {
  uuid: string;
  name: string;
  createdAt: string;
  /** In capitals, as the API returns it. */
  region: string;
  readReplication: string;
}

export interface Bucket {
  name: string;
  createdAt: string;
  /** In capitals. */
  location: string;
  lifecycle: Record<string, unknown>[];
  /** The bucket's custom domains. */
  domains: Record<string, unknown>[];
  /** Whether it is public below r2.dev. */
  isOnR2Dev: boolean;
}

/** Hints of D1 and R2. */
const LOCATIONS = ["wnam", "enam", "weur", "eeur", "apac", "oc"];
/** The location of the API's callers. */
const NEAREST = "weur";

/** @returns the location in capitals; null for an unknown hint */
export function locationOf(hint: unknown = NEAREST): string | null {
  return typeof hint === "string" && LOCATIONS.includes(hint) ? hint.toUpperCase() : null;
}

/** A Workers KV namespace. */
export interface Namespace {
  id: string;
  title: string;
}

export interface DnsRecord {
  id: string;
  type: string;
  name: string;
  content: string;
  proxied: boolean;
  ttl: number;
  /** Metadata of the Worker that owns the record. */
  meta?: { origin_worker_id: string; read_only: true };
}

export interface WorkerDomain {
  id: string;
  hostname: string;
  zone_id: string;
  zone_name: string;
  service: string;
  environment: string;
  cert_id: string;
}

/** The settings of a zone that determine how its edge handles a request. */
export interface ZoneSettings {
  always_use_https: "on" | "off";
  /** Browser Integrity Check. */
  browser_check: "on" | "off";
  /** Email Address Obfuscation. */
  email_obfuscation: "on" | "off";
}

export interface Zone {
  id: string;
  name: string;
  records: DnsRecord[];
  settings: ZoneSettings;
  /** Fallback origin of Cloudflare for SaaS. */
  fallbackOrigin: { origin: string; status: string } | null;
}

export interface Account {
  id: string;
  name: string;
  plan: "free" | "paid";
  /** The name under workers.dev, once one was chosen. */
  subdomain: string | null;
  hasR2: boolean;
  databases: Database[];
  buckets: Bucket[];
  namespaces: Namespace[];
  scripts: Map<string, Script>;
  /** Cron triggers of Workers that are not among `scripts`. */
  otherCrons: number;
  domains: WorkerDomain[];
  /** Hosts with a certificate. A host that leads to a Worker gets it after its first request, which fails. */
  readyHosts: Set<string>;
  zones: Zone[];
  /** Content of static assets by its hash. */
  assets: Map<string, { content: Buffer; type: string }>;
}

export function newAccount(): Account {
  return {
    id: crypto.randomUUID().replaceAll("-", ""),
    name: "Example",
    plan: "free",
    subdomain: "example",
    hasR2: true,
    databases: [],
    buckets: [],
    namespaces: [],
    scripts: new Map(),
    otherCrons: 0,
    domains: [],
    readyHosts: new Set(),
    zones: [],
    assets: new Map(),
  };
}

/** The running versions: those of the last deployment. */
export function deployedVersions(script: Script): { version: Version; percentage: number }[] {
  return (script.deployments.at(-1)?.versions ?? []).flatMap(({ version_id, percentage }) => {
    const version = script.versions.find(({ id }) => id === version_id);
    return version ? [{ version, percentage }] : [];
  });
}
