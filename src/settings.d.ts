/** Variables and secrets that are set where the Worker is deployed: `wrangler types` does not know them. */
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
  /** Default redirects of the service's own short domains. */
  HOME_URL?: string;
  NOT_FOUND_URL?: string;
  EXPIRED_URL?: string;
  /** `off`: a `+` after a slug of these domains is not answered. */
  PEEK?: string;
  SIGNUPS?: string;
  /** The plan of accounts that sign up. */
  DEFAULT_PLAN?: string;
  MAINTENANCE_CALLS?: string;
  /** Location of the databases, near which objects are created (core/deployment/settings.ts). */
  REGION?: string;
  /**
   * The plan of Workers. `free`, the default, runs the API and the dashboard in objects; `paid` runs them in the
   * Worker.
   */
  WORKERS_PLAN?: string;
  DEV_VISITOR_HEADERS?: string;
  /** The databases that store links (store/directory/database-map.ts); the default is `DB` for all. */
  LINK_DATABASES?: string;

  /** Signs session cookies; at least 32 random characters. */
  BETTER_AUTH_SECRET?: string;
  /** Creates the first account; at least 16 characters. */
  FIRST_ACCOUNT_TOKEN?: string;
  GITHUB_CLIENT_ID?: string;
  GITHUB_CLIENT_SECRET?: string;
  GOOGLE_CLIENT_ID?: string;
  GOOGLE_CLIENT_SECRET?: string;
  /** Has permission to edit the custom hostnames of the zone `CF_ZONE_ID`. */
  CF_API_TOKEN?: string;
}
