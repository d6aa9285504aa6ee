/** What the API's middleware hands on to its handlers. */
import type { Hosts } from "../core/hosts.ts";
import type { Caller } from "../store/accounts/caller.ts";
import type { DomainRecord } from "../store/domains/domain-rows.ts";
import type { ReplayableRequest } from "./middleware/idempotency.ts";
import type { LinkRecord } from "../store/links/link-rows.ts";
import type { SessionAccount } from "../store/auth/sessions.ts";
import type { Authenticate } from "./middleware/access.ts";

export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    hosts: Hosts;
    /** Set where callers do not come with a key. */
    authenticate?: Authenticate;
    caller: Caller;
    /** Set by the door of the dashboard: whose session it is. */
    account: SessionAccount;
    /** Whether the caller may still do what was asked for: looked up again, for requests that last. */
    isStillAllowed: () => Promise<boolean>;
    /** Set by `loadLink`. */
    link: LinkRecord;
    /** Set by `loadDomain`. */
    domain: DomainRecord;
    /** Set by `body`: the request's Idempotency-Key, if it has one. */
    idempotentRequest: ReplayableRequest | null;
  };
}
