/**
 * Stands in for `@better-auth/core/social-providers` in the Worker's bundle (`alias` in wrangler.toml): the providers of
 * `oauth-providers.ts` instead of all forty.
 */
import * as z from "zod";

import { github } from "../../../node_modules/@better-auth/core/dist/social-providers/github.mjs";
import { google } from "../../../node_modules/@better-auth/core/dist/social-providers/google.mjs";
import type { OAuthProvider } from "./oauth-providers.ts";

export const socialProviders = { github, google } satisfies Record<OAuthProvider, unknown>;
export const SocialProviderListEnum = z.string();
