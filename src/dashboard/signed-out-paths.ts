/** Pages for people who are not signed in. They ask for no account, and nobody is sent back to one after signing in. */

/** @param path  below `/dashboard` */
export function isSignedOutPath(path: string): boolean {
  return path.startsWith("/sign-") || /^\/setup(?:[/?#]|$)/.test(path);
}
