/** Texts of the settings pages. */
import type { Scope } from "../../core/account.ts";
import type { ExportCounts } from "../pages/settings/account-export.ts";
import { plural } from "../formatting/numbers.ts";

export const accountTexts = {
  title: "Account",
} as const;

export const addDomainTexts = {
  title: "Add a domain",
  domain: "Domain",
  hint: "A domain used only for short links, such as go.example.com",
  missing: "Enter a domain such as go.example.com",
  add: "Add domain",
  added: (domain: string) => `${domain} was added. Now set its DNS records.`,
} as const;

export const apiKeyTexts = {
  title: "API keys",
  hint: { live: "Live keys work with live links only.", test: "Test keys work with test links only." },
  create: "Create key",
  none: { live: "No live keys yet", test: "No test keys yet" },
  noneHint: "With a key, your programs can create links, read statistics and follow clicks as they happen.",
  example: (base: string) =>
    `curl ${base}/v1/links -H "Authorization: Bearer svc_…" -H "Content-Type: application/json" -d '{"url": "https://example.com/"}'`,
  createFirst: { live: "Create your first live key", test: "Create your first test key" },
  mode: { live: "Live", test: "Test" },
  created: (date: string) => `Created ${date}`,
  lastUsed: (date: string) => `last used ${date}`,
  neverUsed: "never used",
  allScopes: "All scopes",
  scopes: (scopes: string) => `Scopes: ${scopes}`,
  exposed: (time: string) => `Sent over plain HTTP on ${time}. Create a new key, then revoke this one.`,
  revoke: "Revoke",
  revokeOne: (name: string) => `Revoke ${name}`,
  revocation: {
    title: "Revoke this key?",
    warning: ["Programs that use ", " immediately lose access, and its live streams end. This cannot be undone."],
    confirm: "Revoke key",
    done: (name: string) => `${name} was revoked`,
    failed: "The key was not revoked",
  },
} as const;

export const createKeyTexts = {
  title: "Create an API key",
  createdTitle: "Copy your key now",
  name: "Name",
  nameHint: "Helps you tell your keys apart",
  nameMissing: "Give the key a name, such as the program that uses it",
  mode: "Mode",
  modes: { live: "Live", test: "Test" },
  scopes: "Scopes",
  scopesMissing: "Choose at least one scope",
  scopeDescriptions: {
    "links:read": "List and read links",
    "links:write": "Create, change and delete links",
    "stats:read": "Read statistics and clicks",
    "qr:read": "Read QR codes",
    "qr:write": "Create QR codes",
    "events:read": "Follow the live stream",
    "domains:read": "Read domains",
    "domains:write": "Add and delete domains",
  } satisfies Record<Scope, string>,
  create: "Create key",
  once: "This key will not be shown again",
  onceHint:
    "Copy it now, and store it where only your programs can read it. If you lose it, revoke it and create another one.",
  newKey: "Your new key",
  key: "key",
  copied: "I have copied it",
} as const;

export const deleteAccountTexts = {
  title: "Delete account",
  hint: "All your links stop working, live and test. Keys, statistics and domains are deleted. This cannot be undone.",
  question: "Delete your account?",
  warning: "All your short URLs stop working permanently, even where they are printed. They cannot be restored.",
  understood: "I understand that this cannot be undone",
  notUnderstood: "Select this to continue",
} as const;

export const domainTexts = {
  title: "Domains",
  hint: "Use your own domain for short links.",
  add: "Add domain",
  none: { live: "No domains yet", test: "No test domains yet" },
  noneHint:
    "Add a domain whose DNS records you can edit, such as go.example.com, then set the records shown here. Once they are found, you can create links on the domain.",
  example: (host: string) => `go.example.com/spring instead of ${host}/spring`,
  addFirst: "Add your first domain",
  statuses: {
    pending: { label: "Pending", hint: "Set these records at your DNS provider, then check them." },
    active: { label: "Active", hint: "Ready for new links." },
    misconfigured: {
      label: "Misconfigured",
      hint: "A record is wrong. Links still work for visitors who reach the service, but you cannot create links.",
    },
  },
  recordStatuses: {
    pending: "Not checked",
    active: "Found",
    missing: "Missing",
    failed: "Wrong",
    unknown: "No answer",
  },
  check: "Check again",
  checkFirst: "Check now",
  checkIn: (seconds: number) => `Check again in ${seconds} s`,
  checkedAt: (time: string) => `Checked ${time}`,
  notChecked: "Not checked yet",
  checkFailed: "The records were not checked",
  settings: {
    case_sensitive: {
      label: "Case-sensitive slugs",
      hint: "Treats /Ab and /aB as two links. Can be changed until the first link is created.",
      on: (domain: string) => `Slugs on ${domain} are now case-sensitive`,
      off: (domain: string) => `Slugs on ${domain} are no longer case-sensitive`,
    },
    peek: {
      label: "Show where links lead",
      hint: "Visitors who add a + to a short URL see its destination instead of being redirected.",
      on: (domain: string) => `A + now shows where links on ${domain} lead`,
      off: (domain: string) => `A + no longer shows where links on ${domain} lead`,
    },
  },
  settingNotChanged: "The setting was not changed",
  caseHasLinks: "Links have already been created on this domain. Deleted links count, too.",
  defaultRedirects: "Default redirects",
  pageDesign: "Page design",
  appLinks: "App links",
  delete: "Delete",
  deleteOne: (domain: string) => `Delete ${domain}`,
  /** @param type  such as "TXT" */
  record: (type: string) => `${type} record`,
  certificate: "Certificate",
  certificateHint: "Issued automatically. There is nothing to set.",
  name: "Name",
  nameOf: (type: string) => `name of the ${type} record`,
  value: "Value",
  valueOf: (type: string) => `value of the ${type} record`,
  deletion: {
    title: "Delete this domain?",
    warning: [
      "",
      " is removed from your account, and others may add it. If you add it again, slugs used on it are still taken. A domain that still has links cannot be deleted.",
    ],
    confirm: "Delete domain",
    done: (domain: string) => `${domain} was deleted`,
    failed: "The domain was not deleted",
  },
  hasLinks: (domain: string) =>
    `${domain} still has links. Delete them first, because printed codes may depend on the domain.`,
} as const;

export const defaultRedirectTexts = {
  title: (domain: string) => `Default redirects of ${domain}`,
  labels: { root_url: "Bare domain", not_found_url: "Unknown slugs", expired_url: "Expired links" },
  hints: {
    root_url: (host: string) => `Where visitors of https://${host}/ go. Leave empty to show an error page.`,
    not_found_url: () => "Where visitors go if a slug does not exist. Leave empty to show an error page.",
    expired_url: () => "Where visitors of expired links without a fallback URL go. Leave empty to show an error page.",
  },
  saved: "Default redirects saved",
} as const;

export const pageDesignTexts = {
  title: (domain: string) => `Page design of ${domain}`,
  name: "Name",
  nameHint: "Shown at the top of the pages that visitors see instead of a destination.",
  logo: "Logo",
  logoHint: "PNG, JPEG or WebP. Large images are made smaller.",
  logoPreview: "Current logo",
  logoUnreadable: "This file is not an image that can be used. Choose another one.",
  chooseLogo: "Choose image",
  removeLogo: "Remove logo",
  texts: "Texts",
  pages: {
    missing: { label: "Unknown slugs", placeholder: "Check the address for typos." },
    expired: { label: "Expired links", placeholder: "It has expired or was removed by its owner." },
    gone: { label: "Deleted and disabled links", placeholder: "It has expired or was removed by its owner." },
    paused: { label: "Paused links", placeholder: "Its owner has turned it off for now. Try again later." },
    not_open: {
      label: "Links that are not open yet",
      placeholder: "Its owner has scheduled it for later. Try again then.",
    },
    password: { label: "Password form", placeholder: "No text" },
    peek: { label: "Pages that show where a link leads", placeholder: "No text" },
  },
  saved: "Page design saved",
} as const;

export const appLinkTexts = {
  title: (domain: string) => `App links of ${domain}`,
  hint: "Lets your apps open links of this domain instead of the browser. The app must be able to handle these URLs.",
  view: "View",
  views: { form: "Form", json: "JSON" },
  platforms: { apple: "iPhone, iPad and Mac", android: "Android" },
  files: { apple: "apple-app-site-association", android: "assetlinks.json" },
  /** Members of inputs. */
  fields: {
    teamId: { label: "Team ID", placeholder: "ABCDE12345" },
    bundleIds: { label: "Bundle IDs", placeholder: "com.example.app", description: "Press Enter after each." },
    paths: { label: "Paths", placeholder: "/app/*", description: "Leave empty for all links. * stands for any text." },
    packageName: { label: "Package name", placeholder: "com.example.app" },
    fingerprints: {
      label: "SHA-256 fingerprints",
      placeholder: "14:6D:E9:…",
      description: "Of the app's certificates.",
    },
  },
  errors: {
    teamId: "Enter the ten capital letters and digits of your team ID",
    bundleIds: "Enter bundle IDs, such as com.example.app",
    paths: "Paths begin with /",
    packageName: "Enter a package name, such as com.example.app",
    fingerprints: "Enter fingerprints of 32 bytes, such as 14:6D:E9:…",
    apple: "Enter a JSON object",
    android: "Enter a JSON array",
  },
  onlyJson: "The form cannot show everything in these files, so they can only be edited as JSON.",
  saved: "App links saved",
} as const;

export const passkeyTexts = {
  title: "Passkeys",
  hint: "Sign in with a fingerprint, a face or a security key instead of a password.",
  add: "Add a passkey",
  unsupported: "Passkeys require a newer browser and a page served over HTTPS.",
  none: "No passkeys yet.",
  unnamed: "Passkey",
  added: (name: string, date: string) => `${name}, added ${date}`,
  remove: "Remove",
  removeOne: (name: string) => `Remove ${name}`,
  removal: {
    title: "Remove this passkey?",
    warning: ["", " can no longer be used to sign in. Your other sign-in methods still work."],
    confirm: "Remove passkey",
    done: () => "The passkey was removed",
    failed: "The passkey was not removed",
  },
  wasAdded: "The passkey was added",
  notAdded: "No passkey was added",
} as const;

export const passwordTexts = {
  title: "Password",
  hint: "Changing your password ends all your other sessions.",
  current: "Current password",
  currentMissing: "Enter your current password",
  new: "New password",
  keepPasskeys: "Keep my passkeys",
  keepPasskeysHint: "If someone else may know your password, leave this off: they may have added a passkey.",
  submit: "Change password",
  changed: "Your password was changed. All other sessions have ended.",
} as const;

export const planTexts = {
  title: "Plan",
  names: { premium: "Premium", free: "Free" },
  hints: {
    premium: "Your plan includes everything. Compared with the Free plan, it adds:",
    free: "Your plan includes short links, exact statistics, QR codes and the live stream. Premium adds:",
  },
  rules: "Routing rules: send visitors elsewhere by country, device, language, time and more",
  requests: (premium: string, free: string) => `${premium} API requests a minute instead of ${free}`,
  qrCodes: (premium: string, free: string) => `${premium} QR codes a minute instead of ${free}`,
  streams: (premium: string, free: string) => `${premium} open live streams per key instead of ${free}`,
  change: "To change plans, contact your administrator.",
} as const;

export const usageTexts = {
  title: "Usage",
  hint: "What your account uses of the limits of your plan.",
  quotas: {
    links: "Links, without deleted ones",
    links_created: "Links ever created",
    qr_codes: "QR codes",
    qr_image_bytes: "Images of QR codes",
    social_image_bytes: "Images of link previews",
    bulk_links_per_minute: "Links in bulk requests, this minute",
    bulk_links_per_day: "Links in bulk requests, today (UTC)",
    idempotency_bytes: "Stored responses, today (UTC)",
  },
  perMode: {
    keys: { live: "Live keys", test: "Test keys" },
    domains: { live: "Domains", test: "Test domains" },
    notes: { live: "Notes about links", test: "Notes about test links" },
  },
  lists: { shares: "Shared pages", saved_views: "Saved views", utm_templates: "UTM templates" },
  rates: {
    requests_per_minute: "Requests a minute",
    qr_requests_per_minute: "New QR codes a minute",
    streams: "Open live streams",
  },
  rate: (key: string, account: string) => `${key} per key, ${account} in all`,
  of: (used: string, max: string) => `${used} of ${max}`,
} as const;

export const accountExportTexts = {
  title: "Export",
  hint: "A ZIP file with your links, rules, preview images, earlier versions, notes, QR codes, domains, shared pages, settings and every click, in both modes.",
  start: "Export all data",
  file: (day: string) => `hoplink-export-${day}.zip`,
  reading: (counts?: ExportCounts) => (counts ? `Read so far: ${countsText(counts)}` : "Reading…"),
  saved: (counts?: ExportCounts) => `Saved: ${counts ? countsText(counts) : ""}`,
  waiting: (reason: string) => `Continues automatically. ${reason}`,
  failed: "The export was interrupted",
} as const;

function countsText({ links, clicks }: ExportCounts): string {
  const shown = [
    plural(links, { one: "# link", other: "# links" }),
    plural(clicks, { one: "# click", other: "# clicks" }),
  ];
  return shown.join(", ");
}

/** The card for how this browser shows the dashboard. */
export const displayTexts = {
  title: "Display",
  hint: "In this browser.",
  colors: "Color scheme",
  timeZone: "Time zone",
  timeZoneHint: "For dates and times everywhere in the dashboard. Changing it reloads the page.",
  browserZone: (zone: string) => `Browser (${zone})`,
  noZone: "No time zone found",
} as const;

export const twoStepTexts = {
  title: "Authenticator app",
  hint: "With an app, signing in with your password also requires a code. Passkeys need no code.",
  on: "On",
  add: "Add an app",
  added: (date: string) => `Added on ${date}.`,
  codesLeft: (count: number) => plural(count, { one: "# recovery code left.", other: "# recovery codes left." }),
  addTitle: "Add an authenticator app",
  scan: "Scan this code with an authenticator app, such as the one built into your password manager.",
  qrCode: "QR code for the authenticator app",
  key: "Or enter this key in the app:",
  keyName: "key",
  code: "Code from the app",
  codeMissing: "Enter the six digits that the app shows",
  turnOn: "Turn on",
  newCodes: "New recovery codes",
  newCodesTitle: "Create new recovery codes?",
  newCodesHint: "Your current recovery codes will no longer work.",
  remove: "Remove app",
  removeTitle: "Remove the authenticator app?",
  removeHint: "Signing in will require only your password. Your recovery codes will no longer work.",
  removed: "The authenticator app was removed",
  codesTitle: "Recovery codes",
  codesHint:
    "If you lose the app, each of these codes works once instead. Store them in a safe place. They are not shown again.",
  codesName: "recovery codes",
  codesFile: "hoplink-recovery-codes.txt",
  download: "Download",
} as const;

export const profileTexts = {
  title: "Profile",
  email: "Email",
  changeEmail: "Change",
  changeEmailLabel: "Change email",
  emailTitle: "Change your email",
  emailHint: "You sign in with this address. It is not shown to anyone.",
  newEmail: "New email",
  emailMissing: "Enter your new email address",
  emailChanged: (email: string) => `You now sign in with ${email}`,
  name: "Name",
  saved: "Your name was saved",
  notSaved: "Your name was not saved",
} as const;

export const sessionListTexts = {
  title: "Sessions",
  hint: "Browsers in which you are signed in.",
  endOthers: "End all others",
  current: "This session",
  signedIn: (time: string) => `Signed in ${time}`,
  end: "End",
  endOne: (label: string) => `End session in ${label}`,
  ended: "The session was ended",
  othersEnded: "All other sessions were ended",
  notEnded: "The session was not ended",
  /** @param browser  such as "Firefox" */
  browserOn: (browser: string, system: string) => `${browser} on ${system}`,
  unknownBrowser: "Unknown browser",
} as const;

export const utmTemplateTexts = {
  title: "UTM templates",
  hint: "Sets of UTM parameters that you add to a destination when you create or edit a link.",
  create: "Create template",
  none: "No UTM templates yet",
  /** The texts before and after the parameters. */
  example: ["For example, a template for your newsletter adds ", " to the destinations of its links."],
  exampleValues: { utm_source: "newsletter", utm_medium: "email" },
  createFirst: "Create your first template",
  edit: "Edit",
  editOne: (name: string) => `Edit ${name}`,
  delete: "Delete",
  deleteOne: (name: string) => `Delete ${name}`,
  createTitle: "Create a UTM template",
  editTitle: "Edit UTM template",
  name: "Name",
  nameMissing: "Give the template a name, such as Newsletter",
  saved: (name: string) => `${name} was saved`,
  removal: {
    title: "Delete this template?",
    warning: ["", " is no longer offered in forms. Existing links keep their destinations."],
    confirm: "Delete template",
    done: (name: string) => `${name} was deleted`,
    failed: "The template was not deleted",
  },
} as const;
