/** What a new password needs. The server decides; this only saves a round trip. */
const MIN_CHARS = 10;
const MAX_CHARS = 128;

export function passwordFault(password: string): string | null {
  if (password.length < MIN_CHARS) return `The password needs at least ${MIN_CHARS} characters`;
  if (password.length > MAX_CHARS) return `The password may have at most ${MAX_CHARS} characters`;
  if (password.trim() === "") return "The password must not be made of white space alone";
  return null;
}
