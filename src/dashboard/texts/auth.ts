/** Texts of sign-in, sign-up and the first account. */
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../core/limits.ts";

export const newPasswordTexts = {
  hint: `At least ${PASSWORD_MIN_CHARS} characters`,
  tooShort: `Use at least ${PASSWORD_MIN_CHARS} characters`,
  tooLong: `Use at most ${PASSWORD_MAX_CHARS} characters`,
  blank: "A password needs more than spaces",
} as const;

const closedHint = "New accounts are closed here. Ask the people who run this service.";
const emailTaken = "An account with this e-mail address exists. Sign in instead.";

export const authErrorTexts = {
  invalidEmail: "This is not an e-mail address",
  rateLimited: "Too many attempts. Wait a minute, then try again.",
  /** By better-auth's code. */
  byCode: {
    INVALID_EMAIL_OR_PASSWORD: "Wrong e-mail address or password",
    INVALID_EMAIL: "This is not an e-mail address",
    USER_ALREADY_EXISTS: emailTaken,
    USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: emailTaken,
    PASSWORD_TOO_SHORT: newPasswordTexts.tooShort,
    PASSWORD_TOO_LONG: newPasswordTexts.tooLong,
    PASSWORD_BLANK: newPasswordTexts.blank,
    INVALID_PASSWORD: "This is not your current password",
    EMAIL_PASSWORD_SIGN_UP_DISABLED: closedHint,
    EMAIL_PASSWORD_DISABLED: closedHint,
    AUTH_CANCELLED: "No passkey was used",
    // Browsers give no more detail, so that a page cannot learn which passkeys a device has.
    ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: "Your browser sent no passkey. It was cancelled or took too long.",
    ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device already has a passkey for your account",
    USER_NOT_VERIFIED: "This passkey asks for no fingerprint, face or PIN. Use one that does.",
    PASSKEY_NOT_FOUND: "This passkey does not belong to an account here",
    SESSION_NOT_FRESH: "Sign in again first",
  } as Partial<Record<string, string>>,
} as const;

export const authTexts = {
  email: "E-mail",
  emailMissing: "Enter your e-mail address",
  password: "Password",
  passwordMissing: "Enter your password",
  apiReference: "API reference",
  closed: "New accounts are closed here.",
  closedHint,
  or: "or",
  continueWith: (provider: string) => `Continue with ${provider}`,
  passkey: "Sign in with a passkey",
} as const;

export const sessionTexts = {
  title: "Sign in again",
  reasons: {
    ended: "You were signed out. Sign in to go on where you were: what you typed is still there.",
    old: "You signed in a while ago. Sign in again, then add the passkey.",
  },
  notNow: "Not now",
  signIn: "Sign in",
  otherWay: "Sign in another way, in a new tab",
  otherAccount: "Use another account",
  resumed: "You are signed in again",
} as const;

export const setupTexts = {
  title: "Create the first account",
  about: "This account runs the service: it has every feature, and sees how the service is doing.",
  submit: "Create account",
  noAccount: "This service has no account yet. Run this in the project's folder, and open the address that it prints:",
  noToken:
    "This page opens with a one-time address. Open the one that you have again, or run this in the project's folder to get another:",
  refused: "This address has expired or was replaced by a newer one. Run this in the project's folder to get another:",
  validity: "The address works once, for an hour.",
  command: "command",
  alreadySetUp: "This service is set up: the first account was created already.",
  signIn: "Sign in",
} as const;

export const signInTexts = {
  title: "Sign in",
  ended: "Your session has ended. Sign in again to continue.",
  submit: "Sign in",
  noAccount: "No account yet?",
  signUp: "Sign up",
  /** By the error that a provider's redirect carries. */
  providerErrors: {
    signup_disabled: "New accounts are closed here. Sign in with an account you have.",
    account_not_linked: "An account with this e-mail address exists. Sign in with its password.",
    access_denied: "Sign-in was cancelled",
  } as Readonly<Record<string, string>>,
  providerFailed: "Signing in there did not work. Try again.",
} as const;

export const signUpTexts = {
  title: "Sign up",
  name: "Name",
  submit: "Sign up",
  haveAccount: "Have an account?",
  signIn: "Sign in",
} as const;
