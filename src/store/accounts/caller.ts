/**
 * The authenticated caller of the API. The store's queries take one as an argument, so that none can omit account or
 * mode.
 */

import type { Mode, Plan, Scope } from "../../core/account.ts";
import type { LinkOrigin } from "../../core/links/link-snapshot.ts";

export interface Caller {
  accountId: string;
  mode: Mode;
  plan: Plan;
  scopes: readonly Scope[];
  /** Origin of the links that the caller creates: a key, or the dashboard. */
  origin: LinkOrigin;
  /** Key of the rate limits: the id of the API key; for a session, which has none, the account's. */
  rateKey: string;
}
