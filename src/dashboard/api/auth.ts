/** better-auth's client, with its errors as `ApiError`. */
import { passkeyClient } from "@better-auth/passkey/client";
import { createAuthClient } from "better-auth/client";

import { authErrorTexts } from "../texts/auth.ts";
import { errorTexts } from "../texts/shell.ts";
import { ApiError, networkError, responseOf } from "./api-error.ts";
import { setSignInReason } from "./client.ts";

export const authClient = createAuthClient({ basePath: "/dashboard/api/auth", plugins: [passkeyClient()] });

interface AuthResult<T> {
  data: T | null;
  error: { message?: string | undefined; code?: string | undefined; status: number } | null;
}

/** @throws ApiError, with the field where better-auth's code implies one */
export async function unwrapAuth<T>(pending: Promise<AuthResult<T>>): Promise<T> {
  const { data, error } = await responseOf(pending);
  // A text is the page of another network, in place of a response.
  if (typeof data === "string") throw networkError();
  if (!error) return data as T;
  if (!error.status) throw networkError();
  const { code = "", status } = error;
  const otherwise = status === 429 ? authErrorTexts.rateLimited : (error.message ?? errorTexts.unknown);
  if (code === "SESSION_NOT_FRESH") setSignInReason("old");
  const field = ERROR_FIELDS[code];
  throw new ApiError(status, {
    code: "validation_failed",
    message: authErrorTexts.byCode[code] ?? otherwise,
    ...(field ? { param: field } : {}),
  });
}

/** Form fields that show errors with these codes. */
const ERROR_FIELDS: Partial<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: "password",
  INVALID_EMAIL: "email",
  USER_ALREADY_EXISTS: "email",
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "email",
  CODE_REQUIRED: "code",
  INVALID_CODE: "code",
  PASSWORD_TOO_SHORT: "password",
  PASSWORD_TOO_LONG: "password",
  PASSWORD_BLANK: "password",
  INVALID_PASSWORD: "currentPassword",
};
