/**
 * Stand in for parts of packages of sign-in in the Worker's bundle (`alias` in wrangler.toml). `certificates.ts` stands
 * in for those that read certificates.
 */
import * as z from "zod";

import { github } from "../../../node_modules/@better-auth/core/dist/social-providers/github.mjs";
import { google } from "../../../node_modules/@better-auth/core/dist/social-providers/google.mjs";
import type { OAuthProvider } from "./oauth-providers.ts";

/** `@better-auth/core/social-providers`: the providers of `oauth-providers.ts` instead of all forty. */
export const socialProviders = { github, google } satisfies Record<OAuthProvider, unknown>;
export const SocialProviderListEnum = z.string();

/** `@better-auth/telemetry`: nothing is ever sent. */
export async function createTelemetry() {
  return { publish: async () => {} };
}

/**
 * `better-auth/db`: the passkey plugin imports one function of it, and the whole would bring zod's error messages in fifty
 * languages, 60 kB of an upload.
 */
export { mergeSchema } from "../../../node_modules/better-auth/dist/db/schema.mjs";
