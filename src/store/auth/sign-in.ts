/**
 * Sign-in with better-auth on D1, for the dashboard only. An account is better-auth's user; sessions, passwords,
 * passkeys and OAuth identities have separate tables. Never loaded by a redirect or by a request with an API key. Makes
 * no outgoing requests, except to GitHub or Google if the operator has configured them.
 */
import { kyselyAdapter } from "@better-auth/kysely-adapter";
import { passkey } from "@better-auth/passkey";
import type { BetterAuthPlugin } from "better-auth";
import { verifyPassword } from "better-auth/crypto";
// The whole package brings migrations and the drivers of three other databases.
import { betterAuth } from "better-auth/minimal";
import { Kysely } from "kysely";
import { D1Dialect } from "kysely-d1";

import { PLANS, signUpPlan } from "../../core/account.ts";
import type { Hosts } from "../../core/hosts.ts";
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../core/limits.ts";
import { newAccountId } from "../accounts/accounts.ts";
import { isTransient } from "../timeout.ts";
import { watchedDatabase } from "../wrapped-databases.ts";
import { configuredProviders } from "./oauth-providers.ts";
import {
  afterRequest,
  beforeRequest,
  checkProfile,
  type PasswordSignIn,
  passkeyUserVerification,
  refuseSuspended,
  requireCode,
} from "./sign-in-checks.ts";
import { queryRow } from "../statements.ts";

const AUTH_PATH = "/dashboard/api/auth";

/** Enough to distinguish browsers; a header may have many kilobytes. */
const USER_AGENT_MAX_CHARS = 256;

const SECONDS_PER = { minute: 60, day: 86_400 };

/**
 * better-auth answers 500 to every error.
 * @throws error  if the storage failure is temporary: the API then answers 503 with `Retry-After`
 */
function rethrowTransient(error: unknown): void {
  if (isTransient(error)) throw error;
  if ((error as { status?: unknown }).status === "INTERNAL_SERVER_ERROR") console.error("sign-in failed", error);
}

/**
 * Created per request: its initialization is a promise, and workerd forbids awaiting a promise of another request.
 * @param database  for better-auth's reads and writes
 */
function createAuth(env: Env, baseUrl: string, database = env.DB) {
  const { origin, hostname, protocol } = new URL(baseUrl);
  const closed = env.SIGNUPS !== "open";
  let passwordSignIn: PasswordSignIn | null = null;
  return betterAuth({
    appName: "Hoplink",
    baseURL: origin,
    basePath: AUTH_PATH,
    // store/operators/deployment-state.ts checks the length before any request is served.
    secret: env.BETTER_AUTH_SECRET ?? "",
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    logger: { level: "error" },
    database: kyselyAdapter(new Kysely({ dialect: new D1Dialect({ database }) }), {
      type: "sqlite",
      transaction: false,
    }),
    onAPIError: { errorURL: `${origin}/dashboard/sign-in`, onError: rethrowTransient },
    disabledPaths: DISABLED_PATHS,
    emailAndPassword: {
      enabled: true,
      disableSignUp: closed,
      minPasswordLength: PASSWORD_MIN_CHARS,
      maxPasswordLength: PASSWORD_MAX_CHARS,
    },
    socialProviders: Object.fromEntries(
      configuredProviders(env).map(({ name, ...keys }) => [name, { ...keys, disableSignUp: closed }]),
    ),
    user: {
      modelName: "accounts",
      fields: columnsOf("emailVerified"),
      additionalFields: {
        plan: { type: [...PLANS], required: true, defaultValue: signUpPlan(env), input: false },
        isOperator: { type: "boolean", required: false, defaultValue: false, fieldName: "is_operator", input: false },
      },
    },
    // No session cache in cookies: a sign-out takes effect on the next request.
    session: {
      // better-auth would refuse the list of sessions, too: sign-in-checks.ts asks for a new sign-in where it matters.
      freshAge: 0,
      modelName: "sessions",
      fields: { userId: "account_id", ...columnsOf("expiresAt", "ipAddress", "userAgent", "createdAt", "updatedAt") },
    },
    account: {
      modelName: "credentials",
      fields: {
        userId: "account_id",
        providerId: "provider",
        accountId: "provider_account_id",
        ...columnsOf("accessToken", "refreshToken", "idToken", "accessTokenExpiresAt", "refreshTokenExpiresAt"),
        ...columnsOf("createdAt", "updatedAt"),
      },
      // Without verified email addresses, implicit linking would let an attacker who registers a victim's address
      // first share the account when the victim signs in with GitHub or Google.
      accountLinking: { disableImplicitLinking: true },
    },
    verification: {
      modelName: "challenges",
      fields: columnsOf("expiresAt", "createdAt", "updatedAt"),
    },
    rateLimit: {
      enabled: true,
      storage: "database",
      modelName: "attempts",
      fields: columnsOf("lastRequest"),
      window: SECONDS_PER.minute,
      max: 60,
      customRules: {
        "/sign-in/email": { window: SECONDS_PER.minute, max: 10 },
        "/sign-up/email": { window: SECONDS_PER.minute, max: 5 },
        "/change-password": { window: SECONDS_PER.minute, max: 5 },
        "/get-session": false,
      },
    },
    advanced: {
      cookiePrefix: "hoplink",
      useSecureCookies: protocol === "https:",
      // The path keeps the cookie from short URLs, which share this host in development and may in production.
      defaultCookieAttributes: { path: "/dashboard", httpOnly: true, sameSite: "lax" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
      // better-auth disables both by default when NODE_ENV is "test".
      disableCSRFCheck: false,
      disableOriginCheck: false,
      database: {
        validateSchema: false,
        generateId: ({ model }) => (model === "user" ? newAccountId(Date.now()) : crypto.randomUUID()),
      },
    },
    databaseHooks: {
      user: { create: { before: checkProfile }, update: { before: checkProfile } },
      account: { create: { before: dropTokens }, update: { before: dropTokens } },
      session: {
        create: {
          before: async ({ userId, userAgent }) => {
            await refuseSuspended(env, userId);
            if (passwordSignIn) await requireCode(env, userId, passwordSignIn);
            return { data: { ipAddress: "", userAgent: userAgent?.slice(0, USER_AGENT_MAX_CHARS) ?? "" } };
          },
        },
      },
    },
    hooks: { before: beforeRequest(env, (attempt) => (passwordSignIn = attempt)), after: afterRequest(env) },
    plugins: [
      epochTimesPlugin,
      passkey({
        rpID: hostname,
        rpName: "Hoplink",
        origin,
        authenticatorSelection: { userVerification: "required" },
        ...passkeyUserVerification,
        schema: {
          passkey: {
            modelName: "passkeys",
            fields: {
              userId: "account_id",
              credentialID: "credential_id",
              ...columnsOf("publicKey", "deviceType", "backedUp", "createdAt"),
            },
          },
        },
      }),
    ],
  });
}

/** Like `createAuth`, but records storage failures that better-auth hides. */
export function createNotedAuth(env: Env, baseUrl: string) {
  const { database, rethrow } = noteFailures(env.DB);
  return { auth: createAuth(env, baseUrl, database), rethrow };
}

/**
 * A database that records its failures: better-auth turns them into refusals, or responds as if nothing had happened.
 * `rethrow` throws the first temporary failure, which the API answers with 503.
 */
function noteFailures(database: D1Database) {
  let first: unknown = null;
  const noted = watchedDatabase(database, (call) =>
    call().catch((error: unknown) => {
      if (first === null && isTransient(error)) first = error;
      throw error;
    }),
  );
  const rethrow = () => {
    if (first !== null) throw first;
  };
  return { database: noted, rethrow };
}

/**
 * Disabled routes of better-auth: those that need mail, since the service sends none; account deletion, which the
 * service does itself; access to OAuth tokens; checking a password, which would allow guessing; and another identity for
 * an account, which anyone who finds a signed-in browser could add to keep the access.
 */
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
  "/link-social",
  "/unlink-account",
];

/**
 * Whether better-auth has a route for a URL. It counts requests in the database by IP address and path before it looks
 * for a route. So an attacker could create a row for each invented path.
 */
export function isAuthRoute(env: Env, api: Record<string, { path?: string }>, url: string): boolean {
  const path = new URL(url).pathname.slice(AUTH_PATH.length);
  if (path.includes(":")) return false;
  const callbacks = configuredProviders(env).map(({ name }) => `/callback/${name}`);
  return callbacks.includes(path) || Object.values(api).some((endpoint) => endpoint.path === path);
}

/** Discards the tokens of GitHub and Google: the identity is read once, and stored tokens could only be stolen. */
async function dropTokens(credential: Record<string, unknown>) {
  return { data: { ...credential, accessToken: null, refreshToken: null, idToken: null } };
}

/** The columns of better-auth's fields, which are named in snake case. */
function columnsOf<Field extends string>(...fields: Field[]): Record<Field, string> {
  const columns = fields.map((field) => [field, field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]);
  return Object.fromEntries(columns) as Record<Field, string>;
}

/** Stores an account's times as epoch ms, like the service's other tables. */
const epochTimesPlugin = {
  id: "account-times",
  schema: {
    user: {
      fields: {
        createdAt: epochTime("created_at"),
        updatedAt: epochTime("updated_at"),
      },
    },
  },
} satisfies BetterAuthPlugin;

function epochTime(fieldName: string) {
  const transform = {
    input: (value: unknown) => (value instanceof Date ? value.getTime() : Date.now()),
    output: (value: unknown) => new Date(Number(value)),
  };
  return { type: "number", required: false, fieldName, transform, input: false } as const;
}

/**
 * Whether re-authentication succeeds: with the password, or, for an account without one (OAuth or passkey), with a
 * recent sign-in.
 * @param signedInAt  epoch ms
 */
export async function verifyReauthentication(
  env: Env,
  accountId: string,
  signedInAt: number,
  password: string | undefined,
): Promise<boolean> {
  const sql = "SELECT password FROM credentials WHERE account_id = ?1 AND password IS NOT NULL";
  const row = await queryRow<{ password: string }>(env.DB, sql, [accountId]);
  if (!row) return Date.now() - signedInAt < SECONDS_PER.day * 1_000;
  return password !== undefined && verifyPassword({ hash: row.password, password });
}

/** For the first account, whose rows better-auth does not write (operators/first-account.ts). */
export async function hashPasswordOf(env: Env, { baseUrl }: Hosts, password: string): Promise<string> {
  const { password: passwords } = await createAuth(env, baseUrl).$context;
  return passwords.hash(password);
}

/**
 * Signs in to the first account, as a browser would.
 * @param headers  of the browser's request
 * @returns the cookies to set; none if the sign-in was refused, for example after too many attempts
 */
export async function signInWithPassword(
  env: Env,
  { baseUrl }: Hosts,
  headers: Headers,
  email: string,
  password: string,
): Promise<string[]> {
  const response = await createAuth(env, baseUrl).api.signInEmail({
    body: { email, password },
    headers,
    asResponse: true,
  });
  return response.headers.getSetCookie();
}
