/** Databases with a lagging replica: unconstrained reads come from a copy of an earlier state. */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

import { jsonTexts } from "../../src/store/statements.ts";
import { queryLinks, withDatabases } from "./link-databases.ts";

/** Tables that a redirect reads. */
const TABLES = ["links", "account_states", "feeds", "domain_holders"] as const;

export class LaggingReplica {
  /** The Worker's bindings, with the replica next to every primary. */
  readonly env: typeof env;
  readonly #accountId: string;

  static async of(accountId: string): Promise<LaggingReplica> {
    await applyD1Migrations(env.NEW_DB, env.TEST_MIGRATIONS);
    return new LaggingReplica(accountId);
  }

  private constructor(accountId: string) {
    this.#accountId = accountId;
    this.env = withDatabases(env, (primary) =>
      Object.assign(Object.create(primary) as D1Database, {
        prepare: (sql: string) => primary.prepare(sql),
        batch: (statements: D1PreparedStatement[]) => primary.batch(statements),
        withSession: (first: D1SessionConstraint) =>
          first === "first-unconstrained" ? replicaSession() : primary.withSession(first),
      }),
    );
  }

  /** Copies the account's current rows from the primaries to the replica. */
  async catchUp(): Promise<void> {
    for (const table of TABLES) {
      const rows = await queryLinks(env, `SELECT * FROM ${table} WHERE account_id = ?1`, this.#accountId);
      await env.NEW_DB.prepare(`DELETE FROM ${table} WHERE account_id = ?1`).bind(this.#accountId).run();
      const columns = Object.keys(rows[0] ?? {});
      const values = columns.map((name) => `value ->> '${name}'`);
      const sql = `INSERT OR REPLACE INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?1)`;
      for (const texts of jsonTexts(rows)) await env.NEW_DB.prepare(sql).bind(texts).run();
    }
  }
}

function replicaSession(): Pick<D1DatabaseSession, "prepare"> {
  return { prepare: (sql) => ofReplica(env.NEW_DB.prepare(sql)) };
}

function ofReplica(statement: D1PreparedStatement): D1PreparedStatement {
  return {
    bind: (...values: unknown[]) => ofReplica(statement.bind(...values)),
    all: async () => {
      const { meta, ...answer } = await statement.all();
      return { ...answer, meta: { ...meta, served_by_primary: false } };
    },
  } as unknown as D1PreparedStatement;
}
