/** Workers in the stand-in for Cloudflare's API: uploads, versions, deployments, secrets, settings and cron jobs. */
import { createHash } from "node:crypto";

import { type ApiRequest, CloudflareError, Page } from "./api-request.ts";
import { type Account, type Binding, type Deployment, deployedVersions, type Script, type Version } from "./account.ts";
import type { AssetUploads } from "./assets.ts";
import type { Routes } from "./api-server.ts";
import type { Runtime } from "./runtime.ts";
import { applyMigrations, checkBindings, readUpload } from "./upload.ts";

const SECRET_TYPES = ["secret_text", "secret_key"];
const DEPLOYMENT_VERSIONS_MAX = 2;
/** The list of deployments has no second page. */
const DEPLOYMENTS_LISTED = 10;
const DEPLOYABLE_MAX = 100;
/**
 * Per account. Over this number, an account accepts no schedules at all
 * (https://github.com/cloudflare/workers-sdk/issues/15194).
 */
const FREE_CRONS_MAX = 5;
/** These do not belong to a version: an upload of one leaves them unchanged. */
const SETTINGS = new Set(["logpush", "observability", "tags", "tail_consumers"]);

export function scriptRoutes(account: Account, uploads: AssetUploads, runtime: Runtime): Routes {
  const one = (request: ApiRequest) => find(account, request.param("script"));
  const script = "/accounts/:account/workers/scripts/:script";
  return {
    [`PUT ${script}`]: async (request) => {
      const name = request.param("script");
      if (!/^[a-z0-9_][a-z0-9-_]{0,62}$/.test(name)) throw new CloudflareError(400, 10016, "Invalid Worker name");
      const target = account.scripts.get(name) ?? newScript(name);
      const { version, metadata } = await readUpload(request, account, target, uploads);
      if (metadata.migrations) applyMigrations(target, metadata.migrations, version);
      checkBindings(account, target, version);
      if (metadata.observability) target.settings.observability = metadata.observability;
      account.scripts.set(name, target);
      target.versions.push(version);
      deploy(target, [{ version_id: version.id, percentage: 100 }], {});
      runtime.outdated();
      return {
        id: name,
        tag: target.tag,
        etag: version.id,
        deployment_id: version.id.replaceAll("-", ""),
        startup_time_ms: 20,
      };
    },
    // Its custom domains stay, and then lead nowhere.
    [`DELETE ${script}`]: (request) => {
      const { name, classes } = one(request);
      if (classes.size > 0 && request.query("force") !== "true")
        throw new CloudflareError(400, 10_064, "Cannot delete this Worker as it has Durable Objects: use ?force=true.");
      account.scripts.delete(name);
      runtime.outdated();
    },
    [`GET ${script}/versions`]: (request) => {
      const versions = one(request).versions.toReversed().map(versionSummary);
      const isWhole = request.query("deployable") === "true";
      return { items: isWhole ? versions.slice(0, DEPLOYABLE_MAX) : new Page(request, versions).items };
    },
    [`POST ${script}/versions`]: async (request) => {
      const target = one(request);
      const { version, metadata } = await readUpload(request, account, target, uploads);
      if (metadata.migrations)
        throw new CloudflareError(
          400,
          10_211,
          "Version upload failed: migrations must be applied by a non-versioned deployment.",
        );
      checkBindings(account, target, version);
      target.versions.push(version);
      return { ...versionDetails(target, version), startup_time_ms: 20 };
    },
    [`GET ${script}/versions/:version`]: (request) => {
      const version = one(request).versions.find(({ id }) => id === request.param("version"));
      if (!version) throw new CloudflareError(404, 10_226, "Version not found");
      return versionDetails(one(request), version);
    },
    [`GET ${script}/deployments`]: (request) => ({
      deployments: one(request).deployments.slice(-DEPLOYMENTS_LISTED).toReversed().map(deploymentOf),
    }),
    [`POST ${script}/deployments`]: (request) => {
      const target = one(request);
      const { strategy, versions, annotations } = request.json<{
        strategy?: string;
        versions: Deployment["versions"];
        annotations?: Record<string, string>;
      }>();
      if (strategy !== "percentage") throw new CloudflareError(400, 10_214, "strategy must be percentage");
      checkShares(target, versions);
      if (request.query("force") !== "true") checkSecrets(target, versions);
      const made = deploy(target, versions, annotations ?? {});
      runtime.outdated();
      return deploymentOf(made);
    },
    [`GET ${script}/secrets`]: (request) => secretsOf(one(request)),
    [`PUT ${script}/secrets`]: (request) => {
      const { name, text, type } = request.json<{ name: string; text: string; type: string }>();
      if (!/^[A-Za-z_]\w*$/.test(name) || typeof text !== "string")
        throw new CloudflareError(400, 10_021, "Invalid secret");
      changeBinding(one(request), { name, type, text });
      runtime.outdated();
      return { name, type };
    },
    [`GET ${script}/settings`]: (request) => {
      const version = newest(one(request));
      return {
        bindings: version.bindings.map(withoutSecret),
        compatibility_date: version.compatibilityDate,
        limits: version.limits,
      };
    },
    [`PATCH ${script}/script-settings`]: (request) => {
      const changed = request.json();
      const unknown = Object.keys(changed).find((name) => !SETTINGS.has(name));
      if (unknown !== undefined) throw new CloudflareError(400, 10_021, `Unknown script setting ${unknown}`);
      return Object.assign(one(request).settings, changed);
    },
    [`GET ${script}/schedules`]: (request) => ({ schedules: one(request).crons.map((cron) => ({ cron })) }),
    [`PUT ${script}/schedules`]: (request) => {
      const target = one(request);
      const crons = request.json<{ cron: string }[]>().map(({ cron }) => cron);
      const others = [...account.scripts.values()].filter((other) => other !== target);
      const count = account.otherCrons + others.flatMap((other) => other.crons).length + crons.length;
      if (account.plan === "free" && count > FREE_CRONS_MAX)
        throw new CloudflareError(
          400,
          10_072,
          "This account has reached the Workers Free limit of 5 cron triggers per account.",
        );
      target.crons = crons;
      return { schedules: target.crons.map((cron) => ({ cron })) };
    },
    [`POST ${script}/subdomain`]: (request) => {
      const target = one(request);
      const wanted = request.json<{ enabled: boolean; previews_enabled?: boolean }>();
      if (wanted.enabled && account.subdomain === null)
        throw new CloudflareError(404, 10_063, "You need a workers.dev subdomain in order to proceed.");
      target.onWorkersDev = wanted.enabled;
      target.previews = wanted.previews_enabled ?? wanted.enabled;
      return { enabled: target.onWorkersDev, previews_enabled: target.previews };
    },
    "GET /accounts/:account/workers/services/:script": (request) => {
      const { name, tag, migrationTag, createdOn, settings } = find(account, request.param("script"), 10_090);
      const tags = settings.tags ?? [];
      const details = { id: name, tag, tags, created_on: createdOn, last_deployed_from: "wrangler" };
      const migration = migrationTag === null ? {} : { migration_tag: migrationTag };
      return { id: name, default_environment: { environment: "production", script: { ...details, ...migration } } };
    },
    "GET /accounts/:account/workers/workers/:script": (request) => {
      const { name, tag, onWorkersDev, previews } = one(request);
      return { id: tag, name, subdomain: { enabled: onWorkersDev, previews_enabled: previews } };
    },
  };
}

function newScript(name: string): Script {
  return {
    name,
    tag: crypto.randomUUID().replaceAll("-", ""),
    createdOn: new Date().toISOString(),
    versions: [],
    deployments: [],
    migrationTag: null,
    classes: new Map(),
    onWorkersDev: false,
    previews: false,
    crons: [],
    settings: {},
  };
}

function find({ scripts }: Account, name: string, code = 10_007): Script {
  const script = scripts.get(name);
  if (!script) throw new CloudflareError(404, code, "This Worker does not exist on your account.");
  return script;
}

function newest({ versions }: Script): Version {
  const version = versions.at(-1);
  if (!version) throw new CloudflareError(404, 10_222, "The Worker has no versions");
  return version;
}

function deploy(script: Script, versions: Deployment["versions"], annotations: Record<string, string>): Deployment {
  const made = { id: crypto.randomUUID(), createdOn: new Date().toISOString(), versions, annotations };
  script.deployments.push(made);
  return made;
}

/** A version has the secrets of its upload: secrets changed since would be reverted. */
function checkSecrets(script: Script, versions: Deployment["versions"]): void {
  const secretsOfVersion = ({ bindings }: Version) =>
    JSON.stringify(bindings.filter(({ type }) => SECRET_TYPES.includes(type)).map(({ name, text }) => [name, text]));
  const present = secretsOfVersion(newest(script));
  const isOther = (version: Version) => versions.some(({ version_id }) => version_id === version.id);
  if (script.versions.filter(isOther).some((version) => secretsOfVersion(version) !== present))
    throw new CloudflareError(400, 10_220, "Secrets have changed since this version was uploaded.");
}

function checkShares(script: Script, versions: Deployment["versions"]): void {
  if (versions.length === 0 || versions.length > DEPLOYMENT_VERSIONS_MAX)
    throw new CloudflareError(400, 10_215, "A deployment has one or two versions");
  const total = versions.reduce((sum, { percentage }) => sum + percentage, 0);
  if (Math.abs(total - 100) > 0.001) throw new CloudflareError(400, 10_216, "Percentages must add up to 100");
  for (const { version_id } of versions) {
    const version = script.versions.find(({ id }) => id === version_id);
    if (!version) throw new CloudflareError(404, 10_226, "Version not found");
    if (version.migrationTag !== script.migrationTag)
      throw new CloudflareError(
        400,
        10_217,
        "Cannot deploy a version from before a Durable Object migration that was applied since.",
      );
  }
}

/** Secrets are part of a version: a change creates the next one and deploys it. */
function changeBinding(script: Script, changed: Binding): void {
  const before = newest(script);
  if (deployedVersions(script).length > 1 || deployedVersions(script)[0]?.version !== before)
    throw new CloudflareError(400, 10_215, "Secret edit failed. The latest version of the Worker is not deployed.");
  const bindings = [...before.bindings.filter(({ name }) => name !== changed.name), changed];
  const version = {
    ...before,
    id: crypto.randomUUID(),
    number: before.number + 1,
    createdOn: new Date().toISOString(),
    bindings,
  };
  script.versions.push(version);
  deploy(script, [{ version_id: version.id, percentage: 100 }], {});
}

function secretsOf(script: Script): { name: string; type: string }[] {
  return newest(script)
    .bindings.filter(({ type }) => SECRET_TYPES.includes(type))
    .map(({ name, type }) => ({ name, type }));
}

/** Secrets are never read back. */
function withoutSecret(binding: Binding): Binding {
  return SECRET_TYPES.includes(binding.type) ? { name: binding.name, type: binding.type } : binding;
}

function versionSummary({ id, number, createdOn, annotations }: Version) {
  return {
    id,
    number,
    metadata: {
      created_on: createdOn,
      modified_on: createdOn,
      source: "wrangler",
      author_email: "user@example.com",
      has_preview: false,
    },
    annotations,
  };
}

/** Id of the namespace of a Worker's objects of a class. */
export function objectNamespace({ tag }: Script, className: string): string {
  return createHash("md5").update(`${tag} ${className}`).digest("hex");
}

function withNamespace(script: Script, binding: Binding): Binding {
  if (binding.type !== "durable_object_namespace") return binding;
  return { ...binding, namespace_id: objectNamespace(script, String(binding.class_name)) };
}

function versionDetails(script: Script, version: Version) {
  return {
    ...versionSummary(version),
    resources: {
      bindings: version.bindings.map((binding) => withNamespace(script, withoutSecret(binding))),
      script: { etag: version.id, handlers: ["fetch", "scheduled"], last_deployed_from: "wrangler" },
      script_runtime: {
        compatibility_date: version.compatibilityDate,
        compatibility_flags: version.compatibilityFlags,
        usage_model: "standard",
        ...(version.migrationTag === null ? {} : { migration_tag: version.migrationTag }),
        ...(version.limits ? { limits: version.limits } : {}),
      },
    },
  };
}

function deploymentOf({ id, createdOn, versions, annotations }: Deployment) {
  return {
    id,
    source: "wrangler",
    strategy: "percentage",
    author_email: "user@example.com",
    created_on: createdOn,
    versions,
    annotations,
  };
}
