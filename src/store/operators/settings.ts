/** Checks a deployment's settings and bindings. The service answers 503 `misconfigured` until they are valid. */
import {
  abuseContact,
  type HostSettings,
  hostSettingsProblem,
  type DefaultRedirectSettings,
  defaultRedirectSettingsProblem,
} from "../../core/deployment/settings.ts";
import type { ServingProblem } from "../../core/deployment/deployment-problems.ts";
import { FIRST_ACCOUNT_TOKEN_MIN_CHARS, SETUP_TOKEN_MAX_CHARS } from "../../core/limits.ts";
import { databasesProblem } from "../directory/databases.ts";

/** 32 characters of base 64 are 192 bits. A shorter secret could be guessed and used to forge session cookies. */
const AUTH_SECRET_MIN_CHARS = 32;

interface Settings extends HostSettings, DefaultRedirectSettings {
  BETTER_AUTH_SECRET?: string;
  ABUSE_CONTACT?: string;
  LINK_DATABASES?: string;
}

const SECRET_COMMAND = "openssl rand -base64 32 | npx wrangler secret put BETTER_AUTH_SECRET";

/** @returns null when the settings are valid */
export function settingsProblem(settings: Settings): ServingProblem | null {
  const { BETTER_AUTH_SECRET = "" } = settings;
  if (BETTER_AUTH_SECRET.length < AUTH_SECRET_MIN_CHARS) {
    const fault = BETTER_AUTH_SECRET === "" ? "is not set" : `has fewer than ${AUTH_SECRET_MIN_CHARS} characters`;
    return misconfigured(`This deployment's BETTER_AUTH_SECRET ${fault}`, SECRET_COMMAND);
  }
  const problem = hostSettingsProblem(settings) ?? defaultRedirectSettingsProblem(settings);
  if (problem !== null) return misconfigured(problem, null);
  const ofDatabases = databasesProblem(settings);
  if (ofDatabases !== null) return misconfigured(ofDatabases, null);
  if (abuseContact(settings) !== "invalid") return null;
  return misconfigured(
    "This deployment's ABUSE_CONTACT must be an email address, an http or https URL, or empty",
    null,
  );
}

/**
 * Checked only when `FIRST_ACCOUNT_TOKEN` is used: it has no effect once an account has existed, so an invalid one must
 * not stop the service.
 * @returns null when the token is valid
 */
export function firstAccountTokenProblem(token: string): ServingProblem | null {
  if (token.length >= FIRST_ACCOUNT_TOKEN_MIN_CHARS && token.length <= SETUP_TOKEN_MAX_CHARS) return null;
  const lengths = `${FIRST_ACCOUNT_TOKEN_MIN_CHARS} to ${SETUP_TOKEN_MAX_CHARS}`;
  return misconfigured(
    `This deployment's FIRST_ACCOUNT_TOKEN must have ${lengths} characters`,
    "npx wrangler secret put FIRST_ACCOUNT_TOKEN",
  );
}

function misconfigured(message: string, command: string | null): ServingProblem {
  return { code: "misconfigured", message, command };
}
