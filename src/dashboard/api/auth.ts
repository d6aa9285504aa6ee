/** better-auth's client, with its errors as `ApiError`. */
import { passkeyClient } from "@better-auth/passkey/client";
import { createAuthClient } from "better-auth/client";

import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../core/limits.ts";
import { ApiError, networkError } from "./api-error.ts";

export const authClient = createAuthClient({ basePath: "/dashboard/api/auth", plugins: [passkeyClient()] });

interface AuthResult<T> {
  data: T | null;
  error: { message?: string | undefined; code?: string | undefined; status: number } | null;
}

/** @throws ApiError, with the field where better-auth's code implies one */
export async function unwrapAuth<T>(pending: Promise<AuthResult<T>>): Promise<T> {
  const { data, error } = await pending.catch(() => {
    throw networkError();
  });
  if (!error) return data as T;
  if (!error.status) throw networkError();
  const { code = "" } = error;
  const known = AUTH_ERRORS[code];
  const message =
    known?.message ?? (error.status === 429 ? RATE_LIMITED_MESSAGE : (error.message ?? "Something went wrong"));
  throw new ApiError(error.status, {
    code: "validation_failed",
    message,
    ...(known?.field ? { param: known.field } : {}),
  });
}

const RATE_LIMITED_MESSAGE = "Too many tries. Wait a minute, then try again.";

/** Messages for better-auth's error codes, and the form fields where they are shown. */
const AUTH_ERRORS: Record<string, { field?: string; message: string }> = {
  INVALID_EMAIL_OR_PASSWORD: { field: "password", message: "E-mail address or password is wrong" },
  INVALID_EMAIL: { field: "email", message: "This is not an e-mail address" },
  USER_ALREADY_EXISTS: { field: "email", message: "There is an account with this e-mail address. Sign in instead." },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    field: "email",
    message: "There is an account with this e-mail address. Sign in instead.",
  },
  PASSWORD_TOO_SHORT: { field: "password", message: `The password needs at least ${PASSWORD_MIN_CHARS} characters` },
  PASSWORD_TOO_LONG: { field: "password", message: `The password may have at most ${PASSWORD_MAX_CHARS} characters` },
  PASSWORD_BLANK: { field: "password", message: "The password must not be made of white space alone" },
  INVALID_PASSWORD: { field: "currentPassword", message: "This is not your current password" },
  EMAIL_PASSWORD_SIGN_UP_DISABLED: { message: "New accounts are closed here. Ask whoever runs this service." },
  EMAIL_PASSWORD_DISABLED: { message: "New accounts are closed here. Ask whoever runs this service." },
  AUTH_CANCELLED: { message: "No passkey was used" },
  // Browsers give no more detail, so that a page cannot learn which passkeys a device has.
  ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: { message: "Your browser gave no passkey: it was cancelled, or took too long" },
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: { message: "This device has a passkey for your account already" },
  USER_NOT_VERIFIED: { message: "This passkey asks for no fingerprint, face or PIN, which is needed here" },
  PASSKEY_NOT_FOUND: { message: "This passkey is not known here" },
  SESSION_NOT_FRESH: { message: "You signed in too long ago for this. Sign out, sign in again, and try once more." },
};
