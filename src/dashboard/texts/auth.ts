/** Texts of sign-in, sign-up and the first account. */
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from "../../core/limits.ts";

export const newPasswordTexts = {
  hint: `At least ${PASSWORD_MIN_CHARS} characters`,
  tooShort: `Use at least ${PASSWORD_MIN_CHARS} characters`,
  tooLong: `Use at most ${PASSWORD_MAX_CHARS} characters`,
  blank: "A password can't be only spaces",
} as const;

const closedHint = "Sign-ups are disabled. Contact your administrator for an account.";
const emailTaken = "An account with this email address already exists. Sign in instead.";

export const authErrorTexts = {
  invalidEmail: "Enter a valid email address",
  rateLimited: "Too many attempts. Wait a minute, then try again.",
  /** Keys are better-auth's error codes. */
  byCode: {
    INVALID_EMAIL_OR_PASSWORD: "Incorrect email address or password",
    INVALID_EMAIL: "Enter a valid email address",
    USER_ALREADY_EXISTS: emailTaken,
    USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: emailTaken,
    PASSWORD_TOO_SHORT: newPasswordTexts.tooShort,
    PASSWORD_TOO_LONG: newPasswordTexts.tooLong,
    PASSWORD_BLANK: newPasswordTexts.blank,
    INVALID_PASSWORD: "Your current password is incorrect",
    EMAIL_PASSWORD_SIGN_UP_DISABLED: closedHint,
    EMAIL_PASSWORD_DISABLED: closedHint,
    AUTH_CANCELLED: "The passkey request was canceled",
    // Browsers give no more detail, so that a page cannot learn which passkeys a device has.
    ERROR_PASSTHROUGH_SEE_CAUSE_PROPERTY: "No passkey received: the request was canceled or timed out.",
    ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: "This device already has a passkey for your account",
    CODE_REQUIRED: "Enter the code from your authenticator app",
    INVALID_CODE: "This code is wrong or was already used",
    CHALLENGE_NOT_FOUND: "The passkey request has expired. Try again.",
    USER_NOT_VERIFIED: "This passkey doesn't ask for a fingerprint, face or PIN. Use one that does.",
    PASSKEY_NOT_FOUND: "This passkey isn't linked to an account",
    SESSION_NOT_FRESH: "Sign in again first",
  } as Partial<Record<string, string>>,
} as const;

export const authTexts = {
  signIn: "Sign in",
  code: "Code",
  codeHint: "From your authenticator app, or a recovery code",
  email: "Email",
  emailMissing: "Enter your email address",
  password: "Password",
  passwordMissing: "Enter your password",
  passwordWrong: "Incorrect password",
  docs: "Documentation",
  closed: "Sign-ups are disabled",
  closedHint,
  or: "or",
  continueWith: (provider: string) => `Continue with ${provider}`,
  passkey: "Sign in with a passkey",
} as const;

/** A one-time link of the operator. */
export const resetTexts = {
  title: "Reset your sign-in",
  noToken: "This page needs a one-time link. Open yours again, or ask your administrator for a new one.",
  refused: "This link has expired or was already used. Ask your administrator for a new one.",
  about: {
    password: "Choose a new password. This ends all your sessions and removes your passkeys.",
    totp: "This removes your authenticator app and ends all your sessions. You then sign in with only your password.",
  },
  newPassword: "New password",
  submit: { password: "Set password", totp: "Remove authenticator app" },
  done: { password: "Your new password is set.", totp: "The authenticator app was removed." },
} as const;

export const sessionTexts = {
  title: "Sign in again",
  reasons: {
    ended: "Your session has ended. Sign in to continue. Your changes are still here.",
    old: "For your security, sign in again, then repeat your last step.",
  },
  notNow: "Not now",
  otherWay: "Sign in another way (opens a new tab)",
  otherAccount: "Use another account",
  resumed: "You are signed in again",
} as const;

export const setupTexts = {
  title: "Create the first account",
  about: "This is the operator account. It has every feature and can see how the service is performing.",
  submit: "Create account",
  noAccount:
    "This service has no account yet. Run this command in the project's folder, then open the URL that it prints:",
  noToken:
    "This page needs a one-time URL. Open yours again, or run this command in the project's folder to get a new one:",
  refused:
    "This URL has expired, was replaced by a newer one, or has a wrong token. Run this command in the project's folder to get a new one:",
  validity: "The URL works once and expires after an hour.",
  chosenToken: "Or enter your token",
  chosenTokenHint: "The FIRST_ACCOUNT_TOKEN that you chose when you deployed this service.",
  useToken: "Continue",
  command: "command",
  alreadySetUp: "This service is already set up. Sign in with an existing account.",
} as const;

export const signInTexts = {
  ended: "Your session has ended. Sign in again to continue.",
  forgotten: "Forgot your password?",
  recovery:
    "Sign in with a passkey, GitHub or Google if you have set that up. Otherwise, ask your administrator to reset your password: this service sends no email.",
  recoverySteps: "How to recover access",
  noAccount: "No account yet?",
  signUp: "Sign up",
  /** Keys are the errors that a provider's redirect carries. */
  providerErrors: {
    signup_disabled: "Sign-ups are disabled. Sign in with an existing account.",
    account_not_linked: "An account with this email address already exists. Sign in with its password.",
    access_denied: "Sign-in was canceled",
  } as Readonly<Record<string, string>>,
  providerFailed: "Sign-in failed. Try again.",
} as const;

export const signUpTexts = {
  title: "Sign up",
  name: "Name",
  haveAccount: "Already have an account?",
} as const;
