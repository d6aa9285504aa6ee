/**
 * Sign-in: better-auth on D1, for the dashboard alone. An account is its user; sessions, passwords, passkeys and
 * identities elsewhere are its own tables. Never loaded by a redirect or by a request with an API key.
 * Sends nothing anywhere, except to GitHub or Google where the operator has configured them.
 */
import { passkey } from "@better-auth/passkey";
import { APIError, type BetterAuthPlugin, betterAuth } from "better-auth";
import { createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { verifyPassword } from "better-auth/crypto";

import { ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { PLANS } from "./caller.ts";
import { providersOf } from "./providers.ts";

export const AUTH_PATH = "/dashboard/api/auth";
export const PASSWORD_MIN_CHARS = 10;
export const PASSWORD_MAX_CHARS = 128;

/** Enough to tell browsers apart; a header may have many kilobytes. */
const USER_AGENT_MAX_CHARS = 256;

const NAME_MAX_CHARS = 100;
const IMAGE_MAX_CHARS = 2_048;

const SECONDS = { minute: 60, day: 86_400 };

/**
 * Made for each request, and not kept: its setting up is awaited, and no request may await another's promise.
 * @throws Error when the deployment has no BETTER_AUTH_SECRET
 */
export function signIn(env: Env) {
  const { origin, hostname, protocol } = new URL(env.BASE_URL);
  if (!env.BETTER_AUTH_SECRET) throw new Error("BETTER_AUTH_SECRET is not set");
  const closed = env.SIGNUPS !== "open";
  return betterAuth({
    appName: "Hoplink",
    baseURL: origin,
    basePath: AUTH_PATH,
    secret: env.BETTER_AUTH_SECRET,
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    logger: { level: "error" },
    database: env.DB,
    onAPIError: { errorURL: `${origin}/dashboard/sign-in` },
    disabledPaths: DISABLED_PATHS,
    emailAndPassword: {
      enabled: true,
      disableSignUp: closed,
      minPasswordLength: PASSWORD_MIN_CHARS,
      maxPasswordLength: PASSWORD_MAX_CHARS,
    },
    socialProviders: Object.fromEntries(
      providersOf(env).map(({ name, ...keys }) => [name, { ...keys, disableSignUp: closed }]),
    ),
    user: {
      modelName: "accounts",
      fields: { emailVerified: "email_verified" },
      additionalFields: { plan: { type: [...PLANS], required: true, defaultValue: "free", input: false } },
    },
    // No cache of sessions in a cookie: signing out holds from the next request on.
    session: {
      modelName: "sessions",
      fields: {
        userId: "account_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    account: {
      modelName: "credentials",
      fields: {
        userId: "account_id",
        providerId: "provider",
        accountId: "provider_account_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
      // E-mail addresses are not verified here: who signs up with somebody's address first must not be joined by them.
      accountLinking: { disableImplicitLinking: true },
    },
    verification: {
      modelName: "challenges",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
    },
    rateLimit: {
      enabled: true,
      storage: "database",
      modelName: "attempts",
      fields: { lastRequest: "last_request" },
      window: SECONDS.minute,
      max: 60,
      customRules: {
        "/sign-in/email": { window: SECONDS.minute, max: 10 },
        "/sign-up/email": { window: SECONDS.minute, max: 5 },
        "/change-password": { window: SECONDS.minute, max: 5 },
        "/get-session": false,
      },
    },
    advanced: {
      cookiePrefix: "hoplink",
      useSecureCookies: protocol === "https:",
      // Not sent to short links, which share this host in development and may in production.
      defaultCookieAttributes: { path: "/dashboard", httpOnly: true, sameSite: "lax" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
      // Both are off by themselves where NODE_ENV is "test".
      disableCSRFCheck: false,
      disableOriginCheck: false,
      database: {
        validateSchema: false,
        generateId: ({ model }) =>
          model === "user" ? timeOrderedId("acc_", Date.now(), randomWords(ID_RANDOM_WORDS)) : crypto.randomUUID(),
      },
    },
    databaseHooks: {
      user: { create: { before: checkProfile }, update: { before: checkProfile } },
      account: { create: { before: forgetTokens }, update: { before: forgetTokens } },
      session: {
        create: {
          before: async ({ userAgent }) => ({
            data: { ipAddress: "", userAgent: userAgent?.slice(0, USER_AGENT_MAX_CHARS) ?? "" },
          }),
        },
      },
    },
    hooks: { before: beforeRequest(env) },
    plugins: [
      accountTimes,
      passkey({
        rpID: hostname,
        rpName: "Hoplink",
        origin,
        schema: {
          passkey: {
            modelName: "passkeys",
            fields: {
              userId: "account_id",
              publicKey: "public_key",
              credentialID: "credential_id",
              deviceType: "device_type",
              backedUp: "backed_up",
              createdAt: "created_at",
            },
          },
        },
      }),
    ],
  });
}

/** No mail can be sent, so what needs mail is not there; accounts are deleted by a route of ours; passwords are not for guessing. */
const DISABLED_PATHS = [
  "/change-email",
  "/delete-user",
  "/delete-user/callback",
  "/error",
  "/request-password-reset",
  "/reset-password",
  "/send-verification-email",
  "/verify-email",
  "/get-access-token",
  "/refresh-token",
  "/account-info",
  "/verify-password",
];

function beforeRequest(env: Env) {
  return createAuthMiddleware(async (c) => {
    // By account as well: better-auth counts by IP address, of which an attacker may have many.
    if (c.path === "/sign-in/email" && typeof c.body?.email === "string") {
      await countTry(env, c.body.email.toLowerCase());
    }
    if (c.path === "/change-password") {
      const session = await getSessionFromCtx(c);
      if (session) await countTry(env, session.user.id);
      // Whoever changes a password because it leaked means to end the sessions that others opened with it.
      return { context: { body: { ...c.body, revokeOtherSessions: true } } };
    }
    return undefined;
  });
}

/** What a browser says of its holder is stored, and read with every session. */
async function checkProfile({ name, image }: { name?: unknown; image?: unknown }): Promise<void> {
  const isFit = (value: unknown, maxChars: number) => typeof value === "string" && value.length <= maxChars;
  const namedWell = name === undefined || isFit(name, NAME_MAX_CHARS);
  if (namedWell && (image === undefined || image === null || isFit(image, IMAGE_MAX_CHARS))) return;
  throw new APIError("BAD_REQUEST", { message: `The name may have ${NAME_MAX_CHARS} characters` });
}

/** GitHub and Google are asked who somebody is, once: their tokens would only be something to steal. */
async function forgetTokens(credential: Record<string, unknown>) {
  return { data: { ...credential, accessToken: null, refreshToken: null, idToken: null } };
}

async function countTry(env: Env, key: string): Promise<void> {
  const { success } = await env.SIGN_IN.limit({ key });
  if (!success) throw new APIError("TOO_MANY_REQUESTS", { message: "Too many requests. Please try again later." });
}

/** Times of accounts are epoch ms, as in every table of ours. */
const accountTimes = {
  id: "account-times",
  schema: {
    user: {
      fields: {
        createdAt: { type: "number", required: false, fieldName: "created_at", transform: epochMs(), input: false },
        updatedAt: { type: "number", required: false, fieldName: "updated_at", transform: epochMs(), input: false },
      },
    },
  },
} satisfies BetterAuthPlugin;

function epochMs() {
  return {
    input: (value: unknown) => (value instanceof Date ? value.getTime() : Date.now()),
    output: (value: unknown) => new Date(Number(value)),
  };
}

/**
 * Whether an account may be deleted: by its password, or where it has none (it signs in elsewhere, or with a passkey),
 * by a session that is not old.
 * @param signedInAt  epoch ms
 */
export async function confirms(
  env: Env,
  accountId: string,
  signedInAt: number,
  password: string | undefined,
): Promise<boolean> {
  const row = await env.DB.prepare("SELECT password FROM credentials WHERE account_id = ?1 AND password IS NOT NULL")
    .bind(accountId)
    .first<{ password: string }>();
  if (!row) return Date.now() - signedInAt < SECONDS.day * 1_000;
  return password !== undefined && verifyPassword({ hash: row.password, password });
}

function randomWords(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(count));
}
