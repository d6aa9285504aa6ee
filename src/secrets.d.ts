/** Secrets of a deployment (README, "Deploy"), which wrangler.toml does not name. */
interface Env {
  /** May edit the custom hostnames of the zone `CF_ZONE_ID`. */
  CF_API_TOKEN?: string;
}
declare namespace Cloudflare {
  interface Env {
    CF_API_TOKEN?: string;
  }
}
