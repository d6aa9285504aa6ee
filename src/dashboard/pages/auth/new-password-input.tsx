/** A password that is chosen, with what it takes. */
import { PasswordInput, type PasswordInputProps } from "@mantine/core";

import { PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { newPasswordTexts as texts } from "../../texts/auth.ts";

export function NewPasswordInput(props: PasswordInputProps) {
  return <PasswordInput description={texts.hint(PASSWORD_MIN_CHARS)} autoComplete="new-password" required {...props} />;
}
