/** Variables and secrets, which are set where the Worker is deployed: `wrangler types` does not know of them. */
interface __BaseEnv_Env {
  BASE_URL?: string;
  SHORT_DOMAIN?: string;
  TEST_SHORT_DOMAIN?: string;
  CDN_URL?: string;
  CNAME_TARGET?: string;
  DOH_URL?: string;
  CF_ZONE_ID?: string;
  CF_API_URL?: string;
  ABUSE_CONTACT?: string;
  SIGNUPS?: string;
  MAINTENANCE_CALLS?: string;
  /** Where the databases are, and objects are made (core/deployment/settings.ts). */
  REGION?: string;
  /** The plan of Workers, `free` when not set: the API and the dashboard run in objects; `paid`: in the Worker. */
  WORKERS_PLAN?: string;
  DEV_VISITOR_HEADERS?: string;
  /** Which databases have the links (store/directory/database-map.ts); all are in `DB` when not set. */
  LINK_DATABASES?: string;

  /** Signs the cookies of sessions; at least 32 random characters. */
  BETTER_AUTH_SECRET?: string;
  GITHUB_CLIENT_ID?: string;
  GITHUB_CLIENT_SECRET?: string;
  GOOGLE_CLIENT_ID?: string;
  GOOGLE_CLIENT_SECRET?: string;
  /** May edit the custom hostnames of the zone `CF_ZONE_ID`. */
  CF_API_TOKEN?: string;
}
