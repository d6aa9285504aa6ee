/** The plans of accounts, and the modes and scopes of keys. Limits by plan are in `limits.ts`. */
export const PLANS = ["free", "premium"] as const;
export type Plan = (typeof PLANS)[number];

/**
 * The account with which `npm run setup` follows a link through a new deployment. It is nobody's: a deployment with this
 * one alone has no account yet, and nobody signs up with it.
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
