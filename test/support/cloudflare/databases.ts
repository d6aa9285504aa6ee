/** D1 in the stand-in for Cloudflare's API. Queries run on the database that Workers are bound to. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

import { type ApiRequest, CloudflareError } from "./api-request.ts";
import { splitNaively } from "./naive-splitter.ts";
import { type Account, type Database, locationOf } from "./account.ts";
import { type Routes, Stored } from "./api-server.ts";
import type { Runtime, Statement } from "./runtime.ts";

const LIMITS = { free: 10, paid: 50_000 };
const MODES = ["auto", "disabled"];

export function databaseRoutes(account: Account, runtime: Runtime): Routes {
  const one = (request: ApiRequest) => find(account, request.param("database"));
  /** Uploads by file name. */
  const uploads = new Map<string, Buffer>();
  return {
    "POST /accounts/:account/d1/database": (request) => {
      const { name, primary_location_hint } = request.json<{ name?: unknown; primary_location_hint?: unknown }>();
      const database = create(account, runtime, name, primary_location_hint);
      return { ...summary(database), created_in_region: database.region };
    },
    "GET /accounts/:account/d1/database/:database": (request) => details(one(request)),
    "DELETE /accounts/:account/d1/database/:database": (request) => {
      const database = one(request);
      // Unlike the other calls, this one does not accept a name.
      if (request.param("database") !== database.uuid) throw new CloudflareError(400, 7400, "Invalid uuid");
      account.databases = account.databases.filter((other) => other !== database);
      runtime.outdated();
    },
    "PATCH /accounts/:account/d1/database/:database": (request) => {
      const mode = request.json<{ read_replication?: { mode?: string } }>().read_replication?.mode;
      if (!mode || !MODES.includes(mode))
        throw new CloudflareError(400, 7400, "read_replication.mode: auto or disabled");
      const database = one(request);
      database.readReplication = mode;
      return details(database);
    },
    "POST /accounts/:account/d1/database/:database/query": (request) => query(runtime, one(request), request),
    "POST /accounts/:account/d1/database/:database/import": (request) =>
      importSql(runtime, one(request), request, uploads),
    "PUT /uploads/:file": (request) => {
      uploads.set(request.param("file"), request.body);
      return new Stored(md5(request.body));
    },
    "GET /accounts/:account/d1/database/:database/time_travel/bookmark": async (request) => {
      const database = one(request);
      // The real one is a place in the database's log; it differs after each write.
      const [result] = await run(runtime, database, [{ sql: "SELECT total_changes() AS changes" }]);
      const state = `${database.uuid} ${JSON.stringify(result?.results)}`;
      return { bookmark: `00000001-00000001-0000507d-${md5(state)}` };
    },
  };
}

function create(account: Account, runtime: Runtime, name: unknown, hint: unknown): Database {
  if (typeof name !== "string" || !/^[\w-]{1,64}$/.test(name))
    throw new CloudflareError(400, 7400, "The database's name must have 1 to 64 letters, digits, _ and -");
  if (account.databases.some((database) => database.name === name))
    throw new CloudflareError(400, 7502, `database with name '${name}' already exists`);
  if (account.databases.length >= LIMITS[account.plan])
    throw new CloudflareError(400, 7406, "You have reached the maximum number of databases");
  const region = locationOf(hint);
  if (region === null)
    throw new CloudflareError(400, 7400, "Invalid property: primary_location_hint => Invalid enum value");
  const database = {
    uuid: crypto.randomUUID(),
    name,
    createdAt: new Date().toISOString(),
    region,
    readReplication: "disabled",
  };
  account.databases.push(database);
  runtime.outdated();
  return database;
}

/** Finds a database by id, or by name as wrangler does. */
function find({ databases }: Account, idOrName: string): Database {
  const found = databases.find(({ uuid, name }) => uuid === idOrName || name === idOrName);
  if (!found) throw new CloudflareError(404, 7404, `The database ${idOrName} could not be found`);
  return found;
}

function summary({ uuid, name, createdAt }: Database) {
  return {
    uuid,
    name,
    version: "production",
    created_at: createdAt,
    file_size: 12_288,
    num_tables: 0,
    jurisdiction: null,
  };
}

function details(database: Database) {
  return {
    ...summary(database),
    running_in_region: database.region,
    read_replication: { mode: database.readReplication },
  };
}

async function query(runtime: Runtime, database: Database, request: ApiRequest) {
  const body = request.json<Statement & { batch?: Statement[] }>();
  const statements = body.batch ?? [body];
  if (statements.some(({ sql }) => typeof sql !== "string" || sql.trim() === ""))
    throw new CloudflareError(400, 7500, "The request is malformed: sql");
  const split = statements.flatMap(({ sql, params }) =>
    params?.length ? [{ sql, params }] : splitNaively(sql).map((part) => ({ sql: part })),
  );
  return run(runtime, database, split);
}

/** Parses SQL as SQLite does, unlike `query`. */
async function importSql(runtime: Runtime, database: Database, request: ApiRequest, uploads: Map<string, Buffer>) {
  const { action, etag, filename = "" } = request.json<{ action?: string; etag?: string; filename?: string }>();
  if (action === "init") {
    const file = `${database.uuid}.${etag}.sql`;
    return { filename: file, upload_url: `http://${request.headers.host}/client/v4/uploads/${file}` };
  }
  const sql = uploads.get(filename);
  if (action !== "ingest" || !sql || md5(sql) !== etag) throw new CloudflareError(400, 7400, "The import is malformed");
  const results = await run(
    runtime,
    database,
    splitSqlQuery(sql.toString()).map((part) => ({ sql: part })),
  );
  const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
  const result = { num_queries: results.length, final_bookmark: md5(sql), meta };
  return { success: true, type: "import", status: "complete", messages: [], result };
}

function md5(content: string | Buffer): string {
  return createHash("md5").update(content).digest("hex");
}

/** One transaction, as with D1. */
async function run(runtime: Runtime, { uuid }: Database, statements: Statement[]): Promise<D1Result[]> {
  const results = await runtime.batch(uuid, statements).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new CloudflareError(400, 7500, message.replace(/^D1_ERROR: /, ""));
  });
  const served = { served_by_region: "WEUR", served_by_primary: true };
  return results.map((result) => ({ ...result, meta: { ...result.meta, ...served } }));
}
