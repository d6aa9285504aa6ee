/** The plans of accounts, and the modes and scopes of keys. Limits by plan are in `limits.ts`. */
export const PLANS = ["free", "premium"] as const;
export type Plan = (typeof PLANS)[number];

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
