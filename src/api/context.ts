/** The context of the API's handlers: what middleware puts into it, and how a route's handlers are made. */
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

/** Finds the caller of a request. @throws ApiError when the request proves none */
type Authenticate = (c: Context<ApiEnv>) => Promise<Caller>;

/** A POST with an `Idempotency-Key`, and how its first response is rebuilt. */
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
    /** Set by `sessionAuth`: how `access` authenticates instead of by API key. */
    authenticate?: Authenticate;
    /** Set by `access`: the header `RateLimit-Policy` of the response. */
    rateLimitPolicy?: string;
    /** Set by `access`. */
    caller: Caller;
    /** Set by `sessionAuth`: the account of the session. */
    account: SessionAccount;
    /** Set by `access`: authenticates again and checks the scope, for responses that last. */
    isStillAllowed: () => Promise<boolean>;
    /** Set by `loadLink`. */
    link: LinkRecord;
    /** Set by `loadQrCode`: the code with its number of scans. */
    qrCode: CountedQrCode;
    /** Set by `loadDomain`. */
    domain: DomainRecord;
    /** Set by `body`: the request's Idempotency-Key; null without one. */
    idempotentRequest: ReplayableRequest | null;
  };
}

/**
 * The handlers of one route, typed: `urls.ts` mounts them at their path. Hono loses the types of input and output where
 * handlers are an ordinary array.
 */
export const { createHandlers } = createFactory<ApiEnv>();
