/** Context of the API's handlers: the variables that middleware sets, and the factory of a route's handlers. */
import type { Context } from "hono";
import { createFactory } from "hono/factory";

import type { Hosts } from "../core/hosts.ts";
import type { Caller } from "../store/accounts/api-keys.ts";
import type { SessionAccount } from "../store/auth/sessions.ts";
import type { DomainRecord } from "../store/domains/domain-rows.ts";
import type { LinkRecord } from "../store/links/link-rows.ts";
import type { CountedQrCode } from "../store/qr-codes.ts";
import type { IdempotentRequest } from "../store/directory/idempotency.ts";
import type { JsonResponse } from "./json-response.ts";

/** Authenticates the caller of a request. @throws ApiError when the credentials are missing or invalid */
type Authenticate = (c: Context<ApiEnv>) => Promise<Caller>;

/** A POST with an `Idempotency-Key`, and how to rebuild its first response. */
export interface ReplayableRequest extends IdempotentRequest {
  /**
   * Rebuilds the first response from the stored payload and this request, which is identical.
   * @throws ZodError when an earlier release accepted the body and this one does not
   */
  restoreResponse: (stored: unknown) => JsonResponse;
}

export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    hosts: Hosts;
    /** Set by `sessionAuth`: replaces API key authentication in `access`. */
    authenticate?: Authenticate;
    /** Set by `sessionAuth`: cookies of a session that was extended. */
    sessionCookies?: string[];
    /** Set by `access`: the response's `RateLimit-Policy` header. */
    rateLimitPolicy?: string;
    /** Set by `access`. */
    caller: Caller;
    /** Set by `sessionAuth`: the account of the session. */
    account: SessionAccount;
    /** Set by `access`: repeats authentication and the scope check, for long-lived responses. */
    isStillAllowed: () => Promise<boolean>;
    /** Set by `loadLink`. */
    link: LinkRecord;
    /** Set by `loadQrCode`: the code with its scan count. */
    qrCode: CountedQrCode;
    /** Set by `loadDomain`. */
    domain: DomainRecord;
    /** Set by `body`; null if the request has no `Idempotency-Key`. */
    idempotentRequest: ReplayableRequest | null;
  };
}

/**
 * Creates the typed handlers of one route, which `urls.ts` mounts at their path. In a plain array, Hono would lose the
 * types of input and output.
 */
export const { createHandlers } = createFactory<ApiEnv>();
