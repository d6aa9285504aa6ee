/** Validates a new password before it is sent. The server validates it again. */
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { newPasswordTexts } from "../../texts/auth.ts";

export function passwordError(password: string): string | null {
  if (password.length < PASSWORD_MIN_CHARS) return newPasswordTexts.tooShort(PASSWORD_MIN_CHARS);
  if (password.length > PASSWORD_MAX_CHARS) return newPasswordTexts.tooLong(PASSWORD_MAX_CHARS);
  if (password.trim() === "") return newPasswordTexts.blank;
  return null;
}
