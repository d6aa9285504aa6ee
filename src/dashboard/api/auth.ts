/** better-auth's client, with its errors as `ApiError`. */
import { passkeyClient } from "@better-auth/passkey/client";
import { createAuthClient } from "better-auth/client";

import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../core/limits.ts";
import { authErrorTexts, authTexts, newPasswordTexts } from "../texts/auth.ts";
import { errorTexts } from "../texts/shell.ts";
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
    known?.message ?? (error.status === 429 ? authErrorTexts.rateLimited : (error.message ?? errorTexts.unknown));
  throw new ApiError(error.status, {
    code: "validation_failed",
    message,
    ...(known?.field ? { param: known.field } : {}),
  });
}

/** Messages for better-auth's error codes, and the form fields where they are shown. */
const AUTH_ERRORS: Record<string, { field?: string; message: string }> = {
  INVALID_EMAIL_OR_PASSWORD: { field: "password", message: authErrorTexts.wrongPassword },
  INVALID_EMAIL: { field: "email", message: authErrorTexts.invalidEmail },
  USER_ALREADY_EXISTS: { field: "email", message: authErrorTexts.emailTaken },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: {
    field: "email",
    message: authErrorTexts.emailTaken,
  },
  PASSWORD_TOO_SHORT: { field: "password", message: newPasswordTexts.tooShort(PASSWORD_MIN_CHARS) },
  PASSWORD_TOO_LONG: { field: "password", message: newPasswordTexts.tooLong(PASSWORD_MAX_CHARS) },
  PASSWORD_BLANK: { field: "password", message: newPasswordTexts.blank },
  INVALID_PASSWORD: { field: "currentPassword", message: authErrorTexts.notCurrentPassword },
  EMAIL_PASSWORD_SIGN_UP_DISABLED: { message: authTexts.closedHint },
  EMAIL_PASSWORD_DISABLED: { message: authTexts.closedHint },
  AUTH_CANCELLED: { message: authErrorTexts.passkeyCancelled },
  // Browsers give no more detail, so that a page cannot learn which passkeys a device has.
  ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: { message: authErrorTexts.passkeyFailed },
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: { message: authErrorTexts.passkeyAdded },
  USER_NOT_VERIFIED: { message: authErrorTexts.passkeyUnverified },
  PASSKEY_NOT_FOUND: { message: authErrorTexts.passkeyUnknown },
  SESSION_NOT_FRESH: { message: authErrorTexts.notFresh },
};
