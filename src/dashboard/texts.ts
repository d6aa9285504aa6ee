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

export const deleteLinkTexts = {
  title: "Delete this link?",
  warning: "stops working within seconds, wherever it is printed or posted. Its slug can never be used again.",
  erase: "Delete its clicks too",
  eraseHint: "Otherwise they stay in your account's history.",
  confirm: "Delete link",
  cancel: "Keep it",
  deleted: (name: string) => `${name} was deleted`,
  failed: "The link was not deleted",
} as const;

export const destinationTexts = {
  leadsTo: (url: string) => `Leads to ${url}`,
} as const;

export const errorTexts = {
  loadFailed: "This could not be loaded",
  tryAgain: "Try again",
  request: (id: string) => `Request ${id}`,
} as const;

export const exportTexts = {
  title: "Export links",
  all: "All your links, one after the other, in one file.",
  filtered: "All links that match your search and filters, in one file.",
  format: "Format",
  csv: "CSV for spreadsheets",
  json: "JSON",
  start: "Export",
  cancel: "Cancel",
  done: "Done",
  reading: (count: number, shown: string) => (count === 1 ? "1 link read …" : `${shown} links read …`),
  saved: (count: number, shown: string) => (count === 1 ? "1 link saved" : `${shown} links saved`),
  failed: (shown: string) => `Stopped after ${shown} links`,
  goOn: "Continue",
} as const;

export const linkFilterTexts = {
  search: "Search links",
  searchPlaceholder: "Search by slug or destination",
  clearSearch: "Clear search",
  /** @param chosen  how many filters are on */
  filters: (chosen: number) => (chosen === 0 ? "Filters" : `Filters (${chosen})`),
  domain: "Domain",
  allDomains: "All domains",
  status: "Status",
  anyStatus: "Any status",
  active: "Active",
  expired: "Expired",
  order: "Order",
  orders: { "-created_at": "Newest first", created_at: "Oldest first", "-clicks": "Most clicks" },
} as const;

export const linkListTexts = {
  title: "Links",
  region: "Links",
  create: "Create link",
  createMany: "Create many",
  noLinks: { live: "No links yet", test: "No test links yet" },
  createFirst: { live: "Create your first link", test: "Create your first test link" },
  noLinksHint: "Paste a long URL anywhere on this page, or press the button. Links can be made by programs, too:",
  readDocs: "read the API guide",
  noMatches: "No links match",
  noMatchesHint: "Try a shorter search, or remove a filter.",
  showAll: "Show all links",
  noMore: "There are no more links.",
  noneSoFar: "No match so far.",
  searchingFurther: (step: number, of: number) => `Still searching, step ${step} of ${of} …`,
  pages: "Pages",
  previous: "Previous",
  firstPage: "First page",
  next: "Next",
  searchOn: "Keep searching",
  pageSize: "Links per page",
  perPage: (count: number) => `${count} per page`,
  range: (first: number, last: number, total?: string) =>
    total === undefined ? `${first}–${last}` : `${first}–${last} of ${total}`,
  select: (link: string) => `Select ${link}`,
  selectPage: "Select all links on this page",
  selected: (count: number) => `${count} selected`,
  sortingByClicks: "Counting clicks …",
  sortedPage: "Sorted within this page, by clicks of the last 30 days",
  export: "Export",
  shortUrlOf: (link: string) => `short URL ${link}`,
  qrCode: "QR code",
  qrCodeOf: (link: string) => `QR code of ${link}`,
  moreFor: (link: string) => `More for ${link}`,
  open: "Open",
  editRules: "Edit rules",
  visit: "Visit",
  delete: "Delete",
  rules: (count: number) => (count === 1 ? "1 rule" : `${count} rules`),
  expired: "Expired",
  until: (date: string) => `Until ${date}`,
  /** @param shown  the count as it is written */
  clicks: (count: number, shown: string) => (count === 1 ? "1 click" : `${shown} clicks`),
  clicksTitle: (shown: string) => `Clicks in the last 30 days: ${shown}`,
  clicksFailed: "Clicks could not be loaded",
  lastClickToday: "Last one today",
  lastClickYesterday: "Last one yesterday",
  lastClick: (date: string) => `Last one ${date}`,
  noRecentClick: "in 30 days",
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
