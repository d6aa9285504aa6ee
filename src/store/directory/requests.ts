/**
 * Carries out requests on several links, each with a separate outcome, and finds stored responses for retries. In one
 * database, a request is one transaction with its stored response.
 */
import type { Caller } from "../accounts/api-keys.ts";
import { countingBulkLinks } from "../accounts/quotas.ts";
import type { LinkRow } from "../links/link-rows.ts";
import { answerInTime, writtenInTime } from "../timeout.ts";
import { onlyDatabase } from "./databases.ts";
import {
  type IdempotentRequest,
  keyQuery,
  responseOf,
  type ResponseRow,
  type StoredResponse,
  storeResponseStatements,
} from "./idempotency.ts";
import { costOf, type DoneItems, type LinksRequest, MAX_TRIES, payloadOf, withPlanned } from "./links-request.ts";

/**
 * @throws the error of D1 when a copy of the request was faster; `idempotent` (api/middleware/input.ts) then replays
 *   its response
 */
export async function carryOut<Outcome>(
  env: Env,
  caller: Caller,
  request: LinksRequest<Outcome>,
): Promise<DoneItems<Outcome>> {
  const database = onlyDatabase(env);
  if (database) return inOneTransaction(env, database, caller, request);
  const { DividedRequest } = await import("./divided-requests.ts");
  return new DividedRequest(env, caller, request).run();
}

async function inOneTransaction<Outcome>(
  env: Env,
  database: D1Database,
  caller: Caller,
  request: LinksRequest<Outcome>,
): Promise<DoneItems<Outcome>> {
  for (let attempt = 1; ; attempt++) {
    const parts = await answerInTime(request.plan(() => false));
    const done = withPlanned([], parts);
    const statements = parts.flatMap((part) => part.statements);
    const { idempotentRequest = null } = request;
    const payload = idempotentRequest && payloadOf(request, done);
    if (payload !== null) statements.push(...storeResponseStatements(env, caller, idempotentRequest, payload));
    try {
      const results = await countingBulkLinks(env, caller, costOf(request, parts), async (count) => {
        const all = [...count, ...statements];
        return all.length === 0 ? [] : writtenInTime(database.batch<LinkRow>(all));
      });
      request.committed?.(results.flatMap((result) => result.results));
      return done;
    } catch (error) {
      await request.replan(error, attempt === MAX_TRIES);
    }
  }
}

/** @returns "conflict" when the key was used for a different request; null when the key is new */
export async function findStoredResponse(
  env: Env,
  caller: Caller,
  request: IdempotentRequest,
): Promise<StoredResponse | "conflict" | null> {
  if (!onlyDatabase(env)) return (await import("./request-shares.ts")).findSharedResponse(env, caller, request);
  const row = await keyQuery(env.DB, "idempotency", caller, request).first<ResponseRow>();
  return row && responseOf(row, request);
}
