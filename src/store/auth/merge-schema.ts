/**
 * Stands in for `better-auth/db` in the Worker's bundle (`alias` in wrangler.toml). The passkey plugin imports one
 * function of it, and the whole would bring zod's error messages in fifty languages, 60 kB of an upload.
 */
export { mergeSchema } from "../../../node_modules/better-auth/dist/db/schema.mjs";
