/** Stands in for `@better-auth/telemetry` in the Worker's bundle (`alias` in wrangler.toml): nothing is ever sent. */
export async function createTelemetry() {
  return { publish: async () => {} };
}
