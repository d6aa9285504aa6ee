/**
 * Every text that the dashboard shows to people, so that it can be translated in one place: a constant for each page or
 * area, in alphabetical order. A function where a text has parameters.
 */

export const accountMenuTexts = {
  menu: "Account menu",
  premiumPlan: "Premium plan",
  freePlan: "Free plan",
  settings: "Account settings",
  colors: "Appearance",
  light: "Light",
  dark: "Dark",
  system: "Same as system",
  chosen: "chosen",
  signOut: "Sign out",
  signOutFailed: "You are still signed in",
} as const;

export const copyTexts = {
  /** @param what  such as "short URL" */
  copy: (what: string) => `Copy ${what}`,
  copied: "Copied",
  copiedWhat: (what: string) => `Copied ${what}`,
} as const;

export const destinationTexts = {
  leadsTo: (url: string) => `Leads to ${url}`,
} as const;

export const errorTexts = {
  loadFailed: "This could not be loaded",
  tryAgain: "Try again",
  request: (id: string) => `Request ${id}`,
} as const;

export const notFoundTexts = {
  title: "Not found",
  heading: "Page not found",
  hint: "The address may have a typo, or the page has moved.",
  toLinks: "Go to your links",
} as const;

export const shellTexts = {
  skip: "Skip to content",
  mainNavigation: "Main",
  links: "Links",
  settings: "Settings",
  mode: "Mode",
  live: "Live",
  test: "Test",
  testMode: "Test mode.",
  testModeHint: "Nothing you do here touches your live links.",
  testKeys: "Test keys",
  testKeysHint: "work with the same data.",
  suspended: "This account is suspended",
} as const;
