/** What is set by `wrangler secret put`, or by `npm run dev` for itself; `wrangler types` does not know of it. */
interface __BaseEnv_Env {
  /** Signs the cookies of sessions; at least 32 random characters. */
  BETTER_AUTH_SECRET?: string;
  GITHUB_CLIENT_ID?: string;
  GITHUB_CLIENT_SECRET?: string;
  GOOGLE_CLIENT_ID?: string;
  GOOGLE_CLIENT_SECRET?: string;
  /** May edit the custom hostnames of the zone `CF_ZONE_ID`. */
  CF_API_TOKEN?: string;
}
