/** The OAuth providers for sign-in: those whose client id and secret the operator has set. */

const OAUTH_PROVIDERS = ["github", "google"] as const;
export type OAuthProvider = (typeof OAUTH_PROVIDERS)[number];

export function configuredProviders(env: Env): { name: OAuthProvider; clientId: string; clientSecret: string }[] {
  const keys = {
    github: { clientId: env.GITHUB_CLIENT_ID, clientSecret: env.GITHUB_CLIENT_SECRET },
    google: { clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET },
  };
  return OAUTH_PROVIDERS.flatMap((name) => {
    const { clientId, clientSecret } = keys[name];
    return clientId && clientSecret ? [{ name, clientId, clientSecret }] : [];
  });
}
