/** A password that nobody has to think of. */
import { BASE62, randomText } from "../core/identifiers.ts";

/** 119 bits. */
const PASSWORD_CHARS = 20;

export function newPassword(): string {
  return randomText(BASE62, crypto.getRandomValues(new Uint32Array(PASSWORD_CHARS)));
}
