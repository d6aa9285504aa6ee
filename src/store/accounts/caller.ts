/** Who asks. No query of the store can be written without one, so none can forget account or mode. */
import type { Scope } from "../../core/contract/contract.ts";
import type { Mode } from "../../core/credentials.ts";
import type { LinkOrigin } from "../../core/links/link-snapshot.ts";

export const PLANS = ["free", "premium"] as const;
export type Plan = (typeof PLANS)[number];

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
