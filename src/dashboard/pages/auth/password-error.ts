/** Validates a new password before it is sent. The server validates it again. */
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../../core/limits.ts";

export function passwordError(password: string): string | null {
  if (password.length < PASSWORD_MIN_CHARS) return `The password needs at least ${PASSWORD_MIN_CHARS} characters`;
  if (password.length > PASSWORD_MAX_CHARS) return `The password may have at most ${PASSWORD_MAX_CHARS} characters`;
  if (password.trim() === "") return "The password must not be made of white space alone";
  return null;
}
