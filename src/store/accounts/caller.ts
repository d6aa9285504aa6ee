/** Who asks. No query of the store can be written without one, so none can forget account or mode. */

import type { Mode, Plan, Scope } from "../../core/account.ts";
import type { LinkOrigin } from "../../core/links/link-snapshot.ts";

export interface Caller {
  accountId: string;
  mode: Mode;
  plan: Plan;
  scopes: readonly Scope[];
  /** What links that the caller makes remember: by a key, or in the dashboard. */
  origin: LinkOrigin;
  /** What requests are counted by. */
  rateKey: string;
}
