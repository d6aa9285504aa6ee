/** The plans of accounts, and the modes and scopes of keys. Limits by plan are in `limits.ts`. */
export const PLANS = ["free", "premium"] as const;
export type Plan = (typeof PLANS)[number];

/** The plan of accounts that sign up. Defaults to the plan with the lower limits. */
export function signUpPlan({ DEFAULT_PLAN }: { DEFAULT_PLAN?: string }): Plan {
  return PLANS.find((plan) => plan === DEFAULT_PLAN) ?? "free";
}

/**
 * The account with which `npm run setup` tests a link on a new deployment. It has no owner: a deployment with only this
 * account has no accounts yet, and no one can sign up with this address.
 */
export const SETUP_CHECK_EMAIL = "setup@hoplink.invalid";

export const MODES = ["live", "test"] as const;
export type Mode = (typeof MODES)[number];

export const SCOPES = [
  "links:read",
  "links:write",
  "stats:read",
  "qr:read",
  "qr:write",
  "events:read",
  "domains:read",
  "domains:write",
] as const;
export type Scope = (typeof SCOPES)[number];
