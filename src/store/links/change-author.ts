/**
 * Who changed a link, as its history stores it: the id of an API key, or what kind of person. No names and no addresses:
 * names of keys change and keys are revoked.
 */
import type { Caller } from "../accounts/caller.ts";

/** `domain_holder`: the account that the link's domain has passed to, which ended the link. */
export type ChangeAuthor = `key:${string}` | "dashboard" | "operator" | "domain_holder";

export function changeAuthorOf({ origin, rateKey }: Pick<Caller, "origin" | "rateKey">): ChangeAuthor {
  return origin === "dashboard" ? "dashboard" : `key:${rateKey}`;
}
