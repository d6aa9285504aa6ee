/**
 * Reads an uploaded Worker in the stand-in for Cloudflare's API, and refuses what Cloudflare refuses: bindings to
 * missing resources or of unknown kinds, classes of objects without a migration, CPU limits on the free plan.
 */
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";

import { type ApiRequest, CloudflareError } from "./api-request.ts";
import type { WorkerModule } from "../workerd.ts";
import type { Account, Binding, Script, Version } from "./account.ts";
import type { AssetUploads } from "./assets.ts";

interface Metadata {
  main_module?: string;
  bindings?: Binding[];
  compatibility_date?: string;
  compatibility_flags?: string[];
  keep_bindings?: string[];
  keep_assets?: boolean;
  limits?: Record<string, unknown>;
  annotations?: Record<string, string>;
  assets?: { jwt?: string; config?: Record<string, unknown> };
  migrations?: Migrations;
  observability?: Record<string, unknown>;
}

interface Migrations {
  old_tag?: string;
  new_tag?: string;
  steps?: Record<string, unknown[]>[];
}

/** Compressed. */
const SIZE_MAX_MIB = { free: 3, paid: 10 };
const MODULE_TYPES: Record<string, WorkerModule["type"]> = {
  "application/javascript+module": "ESModule",
  "application/wasm": "CompiledWasm",
};
const BINDING_TYPES = new Set([
  "analytics_engine",
  "assets",
  "d1",
  "durable_object_namespace",
  "inherit",
  "json",
  "kv_namespace",
  "plain_text",
  "r2_bucket",
  "ratelimit",
  "secret_text",
  "version_metadata",
]);

export interface Upload {
  version: Version;
  metadata: Metadata;
}

export async function readUpload(
  request: ApiRequest,
  account: Account,
  script: Script,
  uploads: AssetUploads,
): Promise<Upload> {
  const form = await request.form();
  const metadata = JSON.parse(String(form.get("metadata") ?? "null")) as Metadata | null;
  if (!metadata?.main_module) throw invalid("metadata must name its main_module");
  if (metadata.limits && account.plan === "free")
    throw new CloudflareError(400, 100_328, "CPU limits are not supported for the Free plan. Switch to a paid plan.");
  const modules = await readModules(form, metadata.main_module);
  checkSize(modules, account.plan);
  const before = script.versions.at(-1);
  const version: Version = {
    id: crypto.randomUUID(),
    number: script.versions.length + 1,
    createdOn: new Date().toISOString(),
    modules,
    bindings: mergeBindings(metadata, before),
    compatibilityDate: metadata.compatibility_date ?? "2021-11-02",
    compatibilityFlags: metadata.compatibility_flags ?? [],
    assets: metadata.assets
      ? { files: uploads.take(metadata.assets.jwt, script.name), config: metadata.assets.config ?? {} }
      : metadata.keep_assets
        ? (before?.assets ?? null)
        : null,
    limits: metadata.limits ?? null,
    migrationTag: metadata.migrations?.new_tag ?? script.migrationTag,
    annotations: definedOnly(metadata.annotations ?? {}),
  };
  return { version, metadata };
}

/** https://developers.cloudflare.com/workers/platform/limits/#worker-size */
function checkSize(modules: readonly WorkerModule[], plan: Account["plan"]): void {
  const all = Buffer.concat(modules.map(({ contents }) => Buffer.from(contents as string)));
  const size = gzipSync(all, { level: 1 }).length;
  if (size > SIZE_MAX_MIB[plan] * 1024 ** 2)
    throw new CloudflareError(400, 10_027, `Your Worker exceeded the size limit of ${SIZE_MAX_MIB[plan]} MiB.`);
}

async function readModules(form: FormData, main: string): Promise<WorkerModule[]> {
  const modules: WorkerModule[] = [];
  for (const [path, part] of form) {
    if (path === "metadata" || typeof part === "string") continue;
    const file = part as unknown as Blob;
    if (file.type === "application/source-map") continue;
    const type = MODULE_TYPES[file.type];
    if (!type) throw invalid(`Unsupported content type of ${path}: ${file.type}`);
    const contents = type === "ESModule" ? await file.text() : new Uint8Array(await file.arrayBuffer());
    modules.push({ type, path, contents });
  }
  const entry = modules.find(({ path }) => path === main);
  if (!entry) throw invalid(`No such module "${main}".`);
  return [entry, ...modules.filter((module) => module !== entry)];
}

/** Existing bindings of the kept kinds stay, unless one of the same name is sent. An inherited binding must exist. */
function mergeBindings({ bindings = [], keep_bindings = [] }: Metadata, before: Version | undefined): Binding[] {
  const unknown = bindings.find(({ type }) => !BINDING_TYPES.has(type));
  if (unknown) throw invalid(`binding ${unknown.name} has an unknown type ${unknown.type}`);
  const sent = bindings.map((binding) => {
    if (binding.type !== "inherit") return binding;
    const inherited = before?.bindings.find(({ name }) => name === binding.name);
    if (!inherited)
      throw new CloudflareError(
        400,
        10057,
        `inherit binding '${binding.name}' is invalid: no previous binding of this name`,
      );
    return inherited;
  });
  const names = new Set(sent.map(({ name }) => name));
  if (names.size < sent.length) throw invalid("bindings must have different names");
  const kept = (before?.bindings ?? []).filter(({ name, type }) => keep_bindings.includes(type) && !names.has(name));
  return [...sent, ...kept];
}

/** @throws CloudflareError  when a binding leads nowhere */
export function checkBindings(account: Account, script: Script, { bindings }: Version): void {
  for (const binding of bindings) {
    const { name } = binding;
    if (binding.type === "d1" && !account.databases.some(({ uuid }) => uuid === binding.id))
      throw invalid(`binding ${name} of type d1 must have a valid \`id\` specified`);
    if (binding.type === "r2_bucket" && !account.hasR2)
      throw new CloudflareError(403, 10042, "Please enable R2 through the Cloudflare Dashboard.");
    if (binding.type === "r2_bucket" && !account.buckets.some((bucket) => bucket.name === binding.bucket_name))
      throw new CloudflareError(400, 10085, `R2 bucket '${String(binding.bucket_name)}' not found.`);
    if (binding.type === "kv_namespace" && !account.namespaces.some(({ id }) => id === binding.namespace_id))
      throw new CloudflareError(400, 10041, `KV namespace '${String(binding.namespace_id)}' is not valid.`);
    if (binding.type === "durable_object_namespace" && !script.classes.has(String(binding.class_name)))
      throw new CloudflareError(
        400,
        10061,
        `Cannot create binding for class '${String(binding.class_name)}' because it is not currently configured to implement Durable Objects.`,
      );
    if (binding.type === "ratelimit" && !/^[1-9]\d*$/.test(String(binding.namespace_id)))
      throw invalid(`binding ${name} of type ratelimit must have a positive integer as namespace_id`);
  }
}

/** @throws CloudflareError  when the script is not where the migrations begin, or does not export a class */
export function applyMigrations(script: Script, migrations: Migrations, { modules }: Version): void {
  if ((migrations.old_tag ?? null) !== script.migrationTag)
    throw new CloudflareError(412, 10079, `Migration tag precondition failed; current tag is ${script.migrationTag}`);
  const exported = exportsOf(modules[0]);
  const classes = new Map(script.classes);
  for (const step of migrations.steps ?? []) {
    const added = [...(step.new_classes ?? []), ...(step.new_sqlite_classes ?? [])].map(String);
    for (const name of added) {
      if (classes.has(name))
        throw new CloudflareError(
          400,
          10074,
          `Cannot apply new-class migration to class '${name}' that is already depended on by existing Durable Objects`,
        );
      if (!exported.has(name))
        throw new CloudflareError(
          400,
          10070,
          `Cannot apply new-class migration to class '${name}' that is not exported by script`,
        );
      classes.set(name, step.new_sqlite_classes?.includes(name) ?? false);
    }
    for (const name of step.deleted_classes ?? []) classes.delete(String(name));
  }
  script.classes = classes;
  script.migrationTag = migrations.new_tag ?? script.migrationTag;
}

function exportsOf(entry: WorkerModule | undefined): Set<string> {
  const lists = String(entry?.contents ?? "").matchAll(/export\s*\{([^}]*)\}/g);
  const names = [...lists].flatMap(([, list = ""]) => list.split(","));
  return new Set(
    names.map(
      (name) =>
        name
          .trim()
          .split(/\s+as\s+/)
          .at(-1) ?? "",
    ),
  );
}

function invalid(message: string): CloudflareError {
  return new CloudflareError(400, 10021, message);
}

function definedOnly(annotations: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}
