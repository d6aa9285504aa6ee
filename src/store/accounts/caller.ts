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

/**
 * Who changed a link, as its history stores it: the id of an API key, or what kind of person. No names and no addresses:
 * names of keys change and keys are revoked. `domain_holder`: the account that
 * the link's domain has passed to, which ended the link.
 */
export type ChangeAuthor = `key:${string}` | "dashboard" | "operator" | "domain_holder";

export function changeAuthorOf({ origin, rateKey }: Pick<Caller, "origin" | "rateKey">): ChangeAuthor {
  return origin === "dashboard" ? "dashboard" : `key:${rateKey}`;
}
