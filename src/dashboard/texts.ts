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

export const ruleSentenceTexts = {
  visitors: "Visitors",
  everyone: "Everyone",
  everyoneElse: "Everyone else",
  those: "those",
  shareOfVisitors: (percent: string) => `The first ${percent}% of visitors`,
  shareOfThose: (percent: string) => `the first ${percent}% of those`,
  except: (whom: string, exception: string) => `${whom}, except ${exception}`,
  /** Of something that is not filled in yet. */
  missing: "…",
  more: (count: number) => `${count} more`,
  quoted: (text: string) => `“${text}”`,
  inPlace: (places: string) => `in ${places}`,
  fromPlace: (places: string) => `from ${places}`,
  unknownCountry: "an unknown country",
  withArticle: (country: string) => `the ${country}`,
  countriesWithArticle: new Set(
    "AE BS CC CD CF CG CK DO FK FO GB GM IO KM KY MH MP MV NL PH SB TC TF UM US VG VI".split(" "),
  ) as ReadonlySet<string>,
  onDevice: (devices: string) => `on ${devices}`,
  devices: {
    mobile: "a phone",
    tablet: "a tablet",
    desktop: "a computer",
    other: "another device",
  } as Readonly<Record<string, string>>,
  runningOs: (systems: string) => `running ${systems}`,
  otherOs: "another system",
  usingBrowser: (browsers: string) => `using ${browsers}`,
  otherBrowser: "another browser",
  preferring: (languages: string) => `who prefer ${languages}`,
  comingFrom: (sites: string) => `coming from ${sites}`,
  appPrefix: "the app ",
  whoDo: (actions: string) => `who ${actions}`,
  sources: { link: "open the link", qr: "scan a QR code" } as Readonly<Record<string, string>>,
  utm: (parameter: string, values: string) => `with UTM ${parameter} ${values}`,
  withParameters: (parameters: string) => `with ${parameters} in the link`,
  parameterIs: (name: string, values: string) => `${name} set to ${values}`,
  days: {
    mon: "Monday",
    tue: "Tuesday",
    wed: "Wednesday",
    thu: "Thursday",
    fri: "Friday",
    sat: "Saturday",
    sun: "Sunday",
  } as Readonly<Record<string, string>>,
  dayGroups: {
    "mon tue wed thu fri": "on weekdays",
    "sat sun": "at the weekend",
    "mon tue wed thu fri sat sun": "every day",
  } as Readonly<Record<string, string>>,
  onDays: (days: string) => `on ${days}`,
  between: (from: string, to: string) => `between ${from} and ${to}`,
  fromHour: (from: string) => `from ${from}`,
  untilHour: (to: string) => `until ${to}`,
  inZone: (zone: string) => `(${zone})`,
  after: (instant: string) => `after ${instant}`,
  before: (instant: string) => `before ${instant}`,
  andBefore: (instant: string) => `and before ${instant}`,
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
