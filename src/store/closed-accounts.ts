/**
 * The end of an account. What could act in its name goes at once, in one transaction; and since a redirect reads the
 * account's state with a link, its links answer 410 everywhere within ten seconds, however many there are.
 * Their rows are emptied afterwards, piece by piece, so that no request and no run of the cron job does unbounded work.
 */
import { removeDomains } from "./domains.ts";
import { releaseHostname } from "./hostname-releases.ts";
import { emptyLinks } from "./links.ts";

/** Each has a hostname at Cloudflare: a look into the database and a call. */
const PIECE_DOMAINS = 20;
/** Each emptied link is one call to its object, of which a request may make 50 on the Free plan of Workers. */
const PIECE_LINKS = 40;
/** Pieces in one run of the cron job, over all closed accounts. */
const RUN_PIECES = 20;

export async function closeAccount(
  env: Env,
  accountId: string,
  ctx: Pick<ExecutionContext, "waitUntil">,
): Promise<void> {
  const now = Date.now();
  await env.DB.batch([
    // Two requests may close it at once.
    env.DB.prepare("INSERT INTO closed_accounts (id, closed_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING").bind(
      accountId,
      now,
    ),
    env.DB.prepare(
      `INSERT INTO account_states (account_id, state, since) VALUES (?1, 'closed', ?2)
       ON CONFLICT DO UPDATE SET state = 'closed', since = ?2 WHERE state <> 'closed'`,
    ).bind(accountId, now),
    env.DB.prepare("UPDATE api_keys SET revoked_at = ?2 WHERE account_id = ?1 AND revoked_at IS NULL").bind(
      accountId,
      now,
    ),
    env.DB.prepare("DELETE FROM feeds WHERE account_id = ?1").bind(accountId),
    // Names are free at once. Those with a hostname at Cloudflare stay, unverified, until that is given up as well.
    env.DB.prepare("DELETE FROM domains WHERE account_id = ?1 AND custom_hostname_id IS NULL").bind(accountId),
    env.DB.prepare("UPDATE domains SET verified_at = NULL WHERE account_id = ?1").bind(accountId),
    env.DB.prepare("DELETE FROM sessions WHERE account_id = ?1").bind(accountId),
    env.DB.prepare("DELETE FROM credentials WHERE account_id = ?1").bind(accountId),
    env.DB.prepare("DELETE FROM passkeys WHERE account_id = ?1").bind(accountId),
    env.DB.prepare("DELETE FROM accounts WHERE id = ?1").bind(accountId),
  ]);
  ctx.waitUntil(emptyPiece(env, accountId));
}

/** Goes on with the domains and links of closed accounts; the cron job's part. */
export async function sweepClosedAccounts(env: Env): Promise<void> {
  const { results } = await env.DB.prepare("SELECT id FROM closed_accounts ORDER BY closed_at LIMIT ?1")
    .bind(RUN_PIECES)
    .all<{ id: string }>();
  const waiting = results.map(({ id }) => id);
  for (let piece = 0; piece < RUN_PIECES && waiting[0] !== undefined; piece++) {
    if (await emptyPiece(env, waiting[0])) waiting.shift();
  }
}

/** True when nothing was left to empty. */
async function emptyPiece(env: Env, accountId: string): Promise<boolean> {
  const domains = await removeDomains(env, accountId, PIECE_DOMAINS);
  await Promise.all(domains.map(({ domain, customHostnameId }) => releaseHostname(env, domain, customHostnameId)));
  if (domains.length > 0) return false;
  if ((await emptyLinks(env, accountId, PIECE_LINKS)) === PIECE_LINKS) return false;
  await env.DB.prepare("DELETE FROM closed_accounts WHERE id = ?1").bind(accountId).run();
  return true;
}
