/** Password inputs and the requirements for new passwords. */
import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from "@mantine/core";

import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { ApiError } from "../../api/api-error.ts";
import { authTexts, newPasswordTexts as texts } from "../../texts/auth.ts";

export const CurrentPasswordInput = PasswordInput.withProps({ autoComplete: "current-password", required: true });

export function NewPasswordInput(props: PasswordInputProps) {
  return <PasswordInput description={texts.hint} autoComplete="new-password" required {...props} />;
}

/** The code of an authenticator app, once the server has asked for it. */
export function CodeInput(props: TextInputProps) {
  return (
    <TextInput
      label={authTexts.code}
      description={authTexts.codeHint}
      autoComplete="one-time-code"
      required
      {...props}
    />
  );
}

/** Whether an error asks for the code. */
export function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.param === "code";
}

/** Validates a new password before it is sent. The server validates it again. */
export function passwordError(password: string): string | null {
  if (password.length < PASSWORD_MIN_CHARS) return texts.tooShort;
  if (password.length > PASSWORD_MAX_CHARS) return texts.tooLong;
  if (password.trim() === "") return texts.blank;
  return null;
}
