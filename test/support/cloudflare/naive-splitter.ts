/**
 * Splits SQL at semicolons with every error that was reported about D1's API. It does not recognize comments, so their
 * quotes and semicolons count. It recognizes a trigger only on one line with an upper-case BEGIN, and ends it at its
 * first END.
 * https://github.com/cloudflare/workers-sdk/issues/4713, /14991, /15178, /15314 and /15690
 */
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";

import { CloudflareError } from "./api-request.ts";

const TRIGGER_BODY = /^CREATE TRIGGER [^\n;]*? BEGIN [^\n]*?\bEND(?=;|$)/;

/** @throws CloudflareError for text that D1 does not run as a statement */
export function splitNaively(sql: string): string[] {
  if (sql.includes("\r")) throw new CloudflareError(400, 7500, "incomplete input: SQLITE_ERROR");
  const statements: string[] = [];
  let rest = sql.trimStart();
  while (rest !== "") {
    const length = TRIGGER_BODY.exec(rest)?.[0].length ?? endOfStatement(rest);
    statements.push(rest.slice(0, length));
    rest = rest.slice(length + 1).trimStart();
  }
  for (const statement of statements) {
    if (statement.replaceAll(/--.*/g, "").trim() === "")
      throw new CloudflareError(400, 7500, "SQL code did not contain a statement");
    if (splitSqlQuery(statement).length > 1)
      throw new CloudflareError(400, 7500, "A prepared SQL statement must contain only one statement");
  }
  return statements;
}

/** The end of the first statement: the first semicolon outside quotes, or the end of the text. */
function endOfStatement(sql: string): number {
  return /^(?:[^';]|'[^']*(?:'|$))*/.exec(sql)?.[0].length ?? 0;
}
