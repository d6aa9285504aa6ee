/** Texts of the frame of every page, its menus, notices and errors. */
import type { Mode } from "../../core/account.ts";
import type { OptionalPart } from "../../core/deployment/deployment-problems.ts";

export const accountMenuTexts = {
  menu: "Account menu",
  premiumPlan: "Premium plan",
  freePlan: "Free plan",
  settings: "Account settings",
  operator: "Operator",
  colors: "Color scheme",
  light: "Light",
  dark: "Dark",
  system: "System",
  chosen: "selected",
  signOut: "Sign out",
  signOutFailed: "You are still signed in",
} as const;

export const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

export const copyTexts = {
  /** @param what  such as "short URL" */
  copy: (what: string) => `Copy ${what}`,
  copied: "Copied",
  copiedWhat: (what: string) => `Copied ${what}`,
} as const;

export const errorTexts = {
  loadFailed: "This could not be loaded",
  request: (id: string) => `Request ${id}`,
  offline: "You are offline. Try again when you are connected.",
  unreachable: "The server cannot be reached. Check your connection and try again.",
  partNotLoaded: "A part of this page could not be loaded. Try again, or reload the page.",
  unreadable: (status: number) => `The server returned an error (${status}). Try again in a moment.`,
  unknown: "Something went wrong",
  repeated: "This loads again automatically.",
  /** Of a task that continues automatically. */
  waiting: (reason: string, seconds: number) => `Trying again in ${seconds} s. ${reason}`,
} as const;

export const notFoundTexts = {
  title: "Not found",
  heading: "Page not found",
  hint: "Check the address for typos. The page may have moved.",
  toOverview: "Go to the overview",
} as const;

export const noticeTexts = {
  offline: "You are offline.",
  offlineHint: "You can view pages, but changes are not saved until you are back online.",
  newRelease: "A new version of Hoplink is ready.",
  reload: "Reload",
  later: "Later",
  exposedKey: (name: string, mode: Mode) => `The ${mode} key “${name}” was sent over plain HTTP.`,
  /** @param base  the service's scheme and host */
  exposedKeyHint: (base: string) =>
    `Others may have read it. Create a new key, use it with ${base}, and revoke the old one.`,
  replaceKey: "Replace key",
} as const;

export const paletteTexts = {
  title: "Search or jump to",
  placeholder: "Search links or commands",
  actions: "Actions",
  createLink: "Create a link",
  createMany: "Create many links",
  importLinks: "Import links from another service",
  allLinks: "All links",
  apiKeys: "API keys",
  domains: "Domains",
  utmTemplates: "UTM templates",
  switchMode: { live: "Switch to test mode", test: "Switch to live mode" },
  searching: "Searching…",
  failed: "The search failed. Try again.",
  nothing: "Nothing found",
} as const;

export const partErrorTexts = {
  dialog: "Not loaded",
  notLoaded: "This part could not be loaded",
  failed: "Something went wrong here",
  offline: "The server cannot be reached. Your changes on this page are still here.",
  outdated: "Hoplink was updated while this page was open. Reload to get the new version.",
  crashed: "The rest of the page still works. If this happens again, reload the page.",
  reload: "Reload page",
} as const;

export const shellTexts = {
  skip: "Skip to content",
  loading: "Loading",
  mainNavigation: "Main",
  overview: "Overview",
  links: "Links",
  tags: "Tags",
  settings: "Settings",
  mode: "Mode",
  live: "Live",
  test: "Test",
  testMode: "Test mode.",
  testModeHint: "Nothing you do here affects your live links.",
  testKeys: "Test keys",
  testKeysHint: "use the same test data.",
  docs: "Docs",
  example: "Example:",
  suspended: "This account is suspended",
} as const;

export const shortcutTexts = {
  title: "Keyboard shortcuts",
  palette: "Search or jump to…",
  search: "Search links",
  create: "Create a link",
  list: "Show this list",
  everywhere: "On every page",
  links: "In the list of links",
  next: "Next link",
  previous: "Previous link",
  link: "On a link of the list that has the focus",
  select: "Select",
  selectRange: "Select a range",
  pause: "Pause or resume",
  archive: "Archive or unarchive",
} as const;

const leaving = { title: "Leave without saving?", leave: "Leave", stay: "Stay" } as const;

/** What is lost by leaving: unsaved changes of forms, and what is shown only once. */
export const draftTexts = {
  kept: { ...leaving, warning: "This browser keeps your unsaved changes until you come back." },
  lost: { ...leaving, isLoss: true, warning: "Your unsaved changes will be lost." },
  /** For keys and codes. */
  shownOnce: { ...leaving, isLoss: true, warning: "After you leave, this cannot be shown again." },
  discard: {
    title: "Discard your changes?",
    warning: "What you have entered in this form will be lost.",
    leave: "Discard",
    stay: "Keep editing",
    isLoss: true,
  },
  restored: (time: string) => `Your unsaved changes from ${time} are restored.`,
  reset: "Discard them",
} as const;

/** Labels of buttons that are the same everywhere. */
export const buttonTexts = {
  cancel: "Cancel",
  close: "Close",
  done: "Done",
  keep: "Keep it",
  save: "Save",
  tryAgain: "Try again",
} as const;

/** What the deployment lacks, for operators. */
export const missingPartTexts = {
  title: "Complete your deployment",
  hint: "Only operators see this.",
  parts: {
    short_domain: {
      name: "A short domain",
      reason: "Links use the long workers.dev address.",
      add: "Add your own host",
      guide: "/docs/deploy#your-own-hosts",
    },
    bucket: {
      name: "R2 storage",
      reason: "Images of QR codes are stored in Durable Objects, and the Worker serves each of them.",
      add: "Add a bucket",
      guide: "/docs/deploy#without-r2",
    },
  } satisfies Record<OptionalPart, unknown>,
} as const;
