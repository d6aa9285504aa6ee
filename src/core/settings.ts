/** What is wrong with a deployment's settings. Pure: the service refuses to answer until they are right. */
import { abuseContact } from "./abuse-contact.ts";

/** 32 characters of a base of 64 are 192 bits; fewer, and a session's cookie may be forged by guessing the secret. */
const AUTH_SECRET_MIN_CHARS = 32;

interface Settings {
  BETTER_AUTH_SECRET?: string;
  ABUSE_CONTACT?: string;
}

/** The problem in words for the operator, or null. Never tells a secret. */
export function settingsProblem(settings: Settings): string | null {
  const { BETTER_AUTH_SECRET = "" } = settings;
  if (BETTER_AUTH_SECRET.length < AUTH_SECRET_MIN_CHARS) {
    const fault = BETTER_AUTH_SECRET === "" ? "is not set" : `has fewer than ${AUTH_SECRET_MIN_CHARS} characters`;
    return `This deployment's BETTER_AUTH_SECRET ${fault}: openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET`;
  }
  if (abuseContact(settings) !== "invalid") return null;
  return "This deployment's ABUSE_CONTACT must be an e-mail address, an http or https URL, or empty";
}
