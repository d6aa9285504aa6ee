/** Rows and statements built from a list of columns, run by D1 on the table `domains`. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import {
  assignmentsSql,
  columnNames,
  type Columns,
  insertSql,
  json,
  optional,
  plain,
  recordFromRow,
  rowFromRecord,
  valuesByColumn,
  prepareNamed,
} from "../../src/store/statements.ts";

interface Sample {
  id: string;
  findings: { cname: string[] };
  rootUrl: string | null;
  notFoundUrl?: string;
  createdAt: number;
}

const COLUMNS: Columns<Sample> = {
  id: plain("id"),
  findings: json("findings"),
  rootUrl: plain("root_url"),
  notFoundUrl: optional("not_found_url"),
  createdAt: plain("created_at"),
};

const FIXED_SQL = { account_id: "'acc_columns'", mode: "'live'", domain: ":id || '.example'", token: "'t'" };
const INSERT_SQL = insertSql("domains", [...columnNames(COLUMNS), ...Object.keys(FIXED_SQL), "status"], {
  ...FIXED_SQL,
  status: "'pending'",
});
const UPDATE_SQL = `UPDATE domains SET ${assignmentsSql(COLUMNS, ["rootUrl", "findings"])} WHERE id = :id RETURNING *`;

async function insert(sample: Sample): Promise<void> {
  await prepareNamed(env.DB, INSERT_SQL, rowFromRecord(COLUMNS, sample)).run();
}

async function update(id: string, changes: Partial<Sample>): Promise<Sample> {
  const values = { changes: JSON.stringify(valuesByColumn(COLUMNS, changes)), id };
  const row = await prepareNamed(env.DB, UPDATE_SQL, values).first();
  return recordFromRow(COLUMNS, row ?? {});
}

test.each<Sample>([
  { id: "dom_all", findings: { cname: ["a", "b"] }, rootUrl: "https://a.example/", notFoundUrl: "x", createdAt: 7 },
  { id: "dom_few", findings: { cname: [] }, rootUrl: null, createdAt: 0 },
])("$id is read as it was inserted; an optional member that is absent stays absent", async (sample) => {
  await insert(sample);
  const row = await env.DB.prepare("SELECT * FROM domains WHERE id = ?1").bind(sample.id).first();
  expect(row).toMatchObject({ account_id: "acc_columns", domain: `${sample.id}.example` });
  expect(recordFromRow(COLUMNS, row ?? {})).toStrictEqual(sample);
});

test("an update sets the given members, even to null, and leaves absent ones unchanged", async () => {
  const sample = { id: "dom_changed", findings: { cname: ["a"] }, rootUrl: "https://a.example/", createdAt: 7 };
  await insert(sample);
  expect(await update(sample.id, {})).toStrictEqual(sample);
  expect(await update(sample.id, { rootUrl: null })).toStrictEqual({ ...sample, rootUrl: null });
  const findings = { cname: [] };
  expect(await update(sample.id, { findings })).toStrictEqual({ ...sample, rootUrl: null, findings });
});
