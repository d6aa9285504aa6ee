/** Generates a password. */
import { BASE62_ALPHABET, randomText } from "../core/identifiers.ts";

/** 119 bits. */
const PASSWORD_CHARS = 20;

export function newPassword(): string {
  return randomText(BASE62_ALPHABET, crypto.getRandomValues(new Uint32Array(PASSWORD_CHARS)));
}
