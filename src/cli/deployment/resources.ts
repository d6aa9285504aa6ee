/** The resources that store a deployment's data: found by name, or created. None is ever replaced or removed. */
import { type Region, REGIONS } from "../../core/deployment/settings.ts";
import { HOME_DATABASE } from "../../core/links/buckets.ts";
import { otherDatabaseNames, unreachableProblem } from "../../store/directory/database-map.ts";
import { type CloudflareApi, unlessCode } from "../cloudflare/api.ts";
import { SetupError } from "../command.ts";
import type { CloudConnection } from "./account.ts";
import { type BoundDatabase, linkDatabaseName } from "./config.ts";
import { databasesOf, nameDatabases } from "./connection.ts";
import type { Dialog } from "./dialog.ts";
import type { DeployedWorker } from "./versions.ts";

export const NO_DATABASE_CODE = 7404;
export const NO_R2_CODE = 10_042;
export const NO_BUCKET_CODE = 10_006;
const NAMESPACES_PER_PAGE = 100;
/** The dashboard fetches icons of destinations again after a month. */
const ICONS_RULE = {
  id: "favicons",
  enabled: true,
  conditions: { prefix: "favicons/" },
  deleteObjectsTransition: { condition: { type: "Age", maxAge: 31 * 86_400 } },
};

const REGION_NAMES: Record<Region, string> = {
  wnam: "western North America",
  enam: "eastern North America, South America",
  weur: "western Europe, Africa",
  eeur: "eastern Europe, the Middle East",
  apac: "Asia",
  oc: "Australia and Oceania",
};

type Settings = Partial<Record<string, string>>;

/**
 * @param present  variables of the deployed Worker
 * @param next  the new variables
 * @throws SetupError if existing links would not be found
 */
export function assertLinksFound(present: Settings, next: Settings): void {
  const problem = unreachableProblem(present.LINK_DATABASES, next.LINK_DATABASES);
  if (problem !== null) throw new SetupError(`LINK_DATABASES ${problem}. Nothing was changed.`);
}

/**
 * Creates the accounts' database and those that the setting names, if they are missing. A database for links that the
 * Worker is bound to stays, even if it no longer has a bucket.
 * @param home  name of the accounts' database
 * @param setting  LINK_DATABASES
 * @param wanted  region of a new accounts' database; asked for if it is not given
 * @returns also the region of the accounts' database, used for the others too; undefined if Cloudflare reports none
 */
export async function ensureDatabases(
  cloud: CloudConnection,
  home: string,
  {
    setting,
    deployed,
    wanted,
  }: { setting: string | undefined; deployed: DeployedWorker | null; wanted: Region | undefined },
  dialog: Dialog,
): Promise<{ databases: BoundDatabase[]; region: Region | undefined }> {
  const bound = deployed ? databasesOf(deployed).filter(({ binding }) => binding !== HOME_DATABASE) : [];
  const names = new Map((await nameDatabases(cloud, bound)).map(({ binding, name }) => [binding, name]));
  for (const binding of otherDatabaseNames(setting))
    if (!names.has(binding)) names.set(binding, linkDatabaseName(home, binding));
  const { id, region } = await ensureDatabase(cloud, home, async () => wanted ?? askForRegion(dialog), dialog);
  if (wanted && region && wanted !== region)
    dialog.warn(`${home} is in ${region}, and databases cannot be moved: --region ${wanted} has no effect`);
  const databases = [{ binding: HOME_DATABASE as string, name: home, id }];
  for (const [binding, name] of names) {
    const made = await ensureDatabase(cloud, name, async () => region, dialog);
    databases.push({ binding, name, id: made.id });
  }
  return { databases, region };
}

/** @returns undefined to leave the choice to Cloudflare, which uses the region nearest to this machine */
async function askForRegion(dialog: Dialog): Promise<Region | undefined> {
  const list = REGIONS.map((region) => `  ${region}  ${REGION_NAMES[region]}`).join("\n");
  for (;;) {
    const answer = await dialog.ask(
      `Where are most of your users? The data cannot be moved later.\n${list}\nRegion:`,
      "nearest",
    );
    if (answer === null) dialog.warn("data is stored in the region nearest to this machine: --region selects another");
    if (answer === null || answer === "nearest") return undefined;
    const region = REGIONS.find((one) => one === answer.toLowerCase());
    if (region) return region;
  }
}

/** A database as described by the API. Regions are in capitals. */
interface Database {
  uuid: string;
  /** Missing in the response that creates it. */
  running_in_region?: string;
  created_in_region?: string | undefined;
}

/** @param choose  selects the region, if it has to be created */
async function ensureDatabase(
  { api, account }: CloudConnection,
  name: string,
  choose: () => Promise<Region | undefined>,
  dialog: Dialog,
): Promise<{ id: string; region: Region | undefined }> {
  const path = `/accounts/${account.id}/d1/database`;
  const find = () => api.get<Database>(`${path}/${encodeURIComponent(name)}`).catch(unlessCode(NO_DATABASE_CODE));
  const create = async () => {
    const hint = await choose();
    const made = await api.send<Database>("POST", path, { name, primary_location_hint: hint });
    return { created_in_region: hint, ...made };
  };
  const found = await ensure<Database>(`Database ${name}`, find, create, dialog);
  await dialog.tolerate(`${name}'s reads are not served by replicas`, () =>
    api.send("PATCH", `${path}/${found.uuid}`, { read_replication: { mode: "auto" } }),
  );
  const place = (found.running_in_region ?? found.created_in_region)?.toLowerCase();
  return { id: found.uuid, region: REGIONS.find((region) => region === place) };
}

/** @returns the name of the images' bucket; null if the account has not enabled R2 */
export async function ensureBucket(
  { api, account }: CloudConnection,
  name: string,
  region: Region | undefined,
  dialog: Dialog,
): Promise<string | null> {
  const path = `/accounts/${account.id}/r2/buckets`;
  const find = () => findBucket(api, `${path}/${name}`);
  const create = () => api.send<object>("POST", path, { name, locationHint: region }).catch(unlessCode(NO_R2_CODE));
  const none = "R2 is not enabled, so Durable Objects store images";
  if ((await ensure<object | null>(`Bucket ${name}`, find, create, dialog, none)) === null) return null;
  await dialog.tolerate("icons in the bucket do not expire", async () => {
    const lifecycle = `${path}/${name}/lifecycle`;
    const { rules = [] } = (await api.get<{ rules?: { id?: string }[] } | null>(lifecycle)) ?? {};
    if (rules.some(({ id }) => id === ICONS_RULE.id)) return;
    await api.send("PUT", lifecycle, { rules: [...rules, ICONS_RULE] });
  });
  return name;
}

/** @returns null if the bucket does not exist, or the account has not enabled R2 */
export function findBucket(api: CloudflareApi, path: string): Promise<object | null> {
  return api.get<object>(path).catch(unlessCode(NO_BUCKET_CODE, NO_R2_CODE));
}

/**
 * wrangler is not used for this: it fails if a namespace with the title exists, e.g. after an interrupted deployment.
 * @returns the id of the KV namespace of visitors' salts; null if the token may not create one
 */
export function ensureSalts(cloud: CloudConnection, title: string, dialog: Dialog): Promise<string | null> {
  const path = `/accounts/${cloud.account.id}/storage/kv/namespaces`;
  return dialog.tolerate("unique visitors are not counted", async () => {
    const create = () => cloud.api.send<{ id: string }>("POST", path, { title });
    return (await ensure(`KV namespace ${title}`, () => findNamespace(cloud, path, title), create, dialog)).id;
  });
}

export async function findNamespace(
  { api }: CloudConnection,
  path: string,
  title: string,
): Promise<{ id: string } | null> {
  for (let page = 1; ; page++) {
    const found = await api.get<{ id: string; title: string }[]>(
      `${path}?per_page=${NAMESPACES_PER_PAGE}&order=title&direction=asc&page=${page}`,
    );
    const known = found.find((one) => one.title === title);
    if (known || found.length < NAMESPACES_PER_PAGE) return known ?? null;
  }
}

/** @param none  outcome if the resource neither exists nor can be created */
async function ensure<T>(
  step: string,
  find: () => Promise<T | null>,
  create: () => Promise<T>,
  dialog: Dialog,
  none = "",
): Promise<T> {
  let isNew = false;
  const findOrCreate = async () => {
    const found = await find();
    isNew = found === null;
    return found ?? create();
  };
  return dialog.step(step, findOrCreate, (resource) => (resource === null ? none : isNew ? "created" : "found"));
}
