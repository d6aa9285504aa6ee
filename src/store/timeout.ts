/** Storage does not respond, or not yet. The caller may retry. */
export class UnavailableError extends Error {}

/** A limit of the service, not a failure: the object is reading other clicks, or packing its log for filters. */
export class BusyError extends Error {
  readonly kind: "busy" | "packing";

  constructor(kind: BusyError["kind"]) {
    super(`the log is ${kind}`);
    this.kind = kind;
  }
}

/** A storage call (D1, R2 or a Durable Object) exceeded its time limit. The API answers 503 with `Retry-After`. */
export class TimeoutError extends UnavailableError {}

/** Rejects with TimeoutError after `timeoutMs`. The work is not canceled; its result is discarded. */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`no answer in ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** About as long as a person waits. D1 stalls for up to a minute while it moves a database. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Limits a request's read from a database that may stall. @throws TimeoutError, which the API answers with 503 */
export function answerInTime<T>(answer: Promise<T>): Promise<T> {
  return withTimeout(ANSWER_TIMEOUT_MS, answer);
}

/** Longer than the limit for reads: a request may write a hundred links with their histories. */
const WRITE_TIMEOUT_MS = 10_000;

/** Limits a request's write in the same way. It may still be written later. */
export function writtenInTime<T>(write: Promise<T>): Promise<T> {
  return withTimeout(WRITE_TIMEOUT_MS, write);
}

/** Whether a fetch was ended by `AbortSignal.timeout`. */
export function isFetchTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}

/**
 * Errors of D1, objects and R2 after which the same request succeeds later: load, a lost connection, a restart, or an
 * object that still runs the previous release. The Free plan's daily allowance is renewed at midnight UTC. R2 ends its
 * messages with a number: an internal error, load, an aborted call.
 */
const TRANSIENT =
  /overloaded|network connection lost|object to be reset|was reset|reset because|code has been updated|transient issue|internal error|session commit token|SQLITE_BUSY|does not implement the method|back off and try again|moved to a different machine|free tier daily|^(?:put|get): .*\((?:10001|10043|10054|10058)\)$/i;

/** Members that the runtime adds to errors of object calls. Another isolate's error is not an `Error` instance here. */
interface RuntimeError {
  message?: string;
  retryable?: boolean;
  overloaded?: boolean;
}

/** Whether a storage failure is temporary. The API answers 503 with `Retry-After`. */
export function isTransient(error: unknown): boolean {
  const { message = "", retryable = false, overloaded = false } = Object(error) as RuntimeError;
  return (
    retryable ||
    overloaded ||
    TRANSIENT.test(message) ||
    error instanceof UnavailableError ||
    signalOf(error) === "bucket_moved"
  );
}

/** Whether storage has more calls than it can serve: a retry would add to them. */
export function isOverloaded(error: unknown): boolean {
  const { message = "", overloaded = false } = Object(error) as RuntimeError;
  return overloaded || /overloaded|too much load/.test(message);
}

/**
 * Signals of failed transactions. A statement that must not take effect yields NULL for a NOT NULL column, violates
 * another constraint, or is aborted by a trigger (schema.sql). So the database decides, despite concurrent requests.
 */

/** A part of the error's message, by signal. */
const MESSAGES = {
  /** The database has closed the bucket (directory/bucket-moves.ts). */
  bucket_moved: "bucket has moved",
  /** Another request has the key, or a copy of this one has written its share. */
  key_claimed: "NOT NULL constraint failed: request_shares.outcomes",
  response_quota: "NOT NULL constraint failed: idempotency_counts.bytes",
  bulk_limit: "NOT NULL constraint failed: bulk_counts.",
  link_quota: "NOT NULL constraint failed: link_counts.",
  qr_quota: "NOT NULL constraint failed: qr_counts.",
  qr_quota_of_link: "NOT NULL constraint failed: link_qr_counts.codes",
  image_quota: "NOT NULL constraint failed: social_image_counts.bytes",
  address_taken: "UNIQUE constraint failed: links.domain",
  /** A link or another link's alias has the address (triggers `links_not_at_aliases` and `aliases_not_at_links`). */
  alias_taken: "address is taken",
  /** The domain accepts no alias, or the reservation of the address has ended. */
  alias_refused: "NOT NULL constraint failed: link_aliases.domain",
  /**
   * The domain's case setting has changed, it is locked, visitors could mean another link, or another account has the
   * first segment.
   */
  slug_outdated: "NOT NULL constraint failed: links.slug",
  domain_not_active: "NOT NULL constraint failed: links.domain",
  /** The domain has passed to another account. */
  domain_not_held: "NOT NULL constraint failed: links.tenure",
  revision_changed: "NOT NULL constraint failed: links.revision",
  opening_times: "CHECK constraint failed: starts_at < expires_at",
  domain_of_another: "NOT NULL constraint failed: domains.domain",
  domain_quota: "NOT NULL constraint failed: domains.token",
  held_domains_quota: "NOT NULL constraint failed: domains.status",
  domain_own_already: "UNIQUE constraint failed: domains.account_id",
  well_known_quota: "too many bytes of well_known",
  domain_claimed: "UNIQUE constraint failed: domains.domain",
} as const;

type Signal = keyof typeof MESSAGES;

const SIGNALS = Object.entries(MESSAGES) as [Signal, string][];

/** @returns null for an error of another kind */
export function signalOf(error: unknown): Signal | null {
  const text = String(error);
  return SIGNALS.find(([, message]) => text.includes(message))?.[0] ?? null;
}

/**
 * Executes a transaction.
 * @param refusals  what a request is told instead of the error with a signal
 */
export async function refusedWith<T>(
  transaction: Promise<T>,
  refusals: { readonly [Name in Signal]?: () => Error | Promise<Error> },
): Promise<T> {
  return transaction.catch(async (error: unknown) => {
    const signal = signalOf(error);
    throw (signal && (await refusals[signal]?.())) ?? error;
  });
}
