/** Texts of sign-in, sign-up and the first account. */

export const authErrorTexts = {
  wrongPassword: "Wrong e-mail address or password",
  invalidEmail: "This is not an e-mail address",
  emailTaken: "An account with this e-mail address exists. Sign in instead.",
  notCurrentPassword: "This is not your current password",
  passkeyCancelled: "No passkey was used",
  passkeyFailed: "Your browser sent no passkey. It was cancelled or took too long.",
  passkeyAdded: "This device already has a passkey for your account",
  passkeyUnverified: "This passkey asks for no fingerprint, face or PIN. Use one that does.",
  passkeyUnknown: "This passkey does not belong to an account here",
  notFresh: "You signed in too long ago for this. Sign out, sign in, and try again.",
  rateLimited: "Too many attempts. Wait a minute, then try again.",
} as const;

export const authTexts = {
  email: "E-mail",
  emailMissing: "Enter your e-mail address",
  password: "Password",
  passwordMissing: "Enter your password",
  apiReference: "API reference",
  closed: "New accounts are closed here.",
  closedHint: "New accounts are closed here. Ask the people who run this service.",
  or: "or",
  continueWith: (provider: string) => `Continue with ${provider}`,
  passkey: "Sign in with a passkey",
} as const;

export const newPasswordTexts = {
  hint: (least: number) => `At least ${least} characters`,
  tooShort: (least: number) => `Use at least ${least} characters`,
  tooLong: (most: number) => `Use at most ${most} characters`,
  blank: "A password needs more than spaces",
} as const;

export const sessionTexts = {
  title: "Sign in again",
  reason: "You were signed out. Sign in to go on where you were: what you typed is still there.",
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
