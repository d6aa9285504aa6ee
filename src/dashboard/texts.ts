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

export const bulkCreateTexts = {
  title: { live: "Create many links", test: "Create many test links" },
  links: "Links",
  linksHint:
    "One link per line: destination, or destination, slug, domain, expiry. To choose the columns, start with a line of their names: url, slug, domain, expires_at.",
  chooseFile: "Choose a CSV file",
  unreadableFile: "This file could not be read",
  tooMany: (max: number) => `At most ${max} links at a time`,
  preview: "Preview",
  linksFound: "Links found",
  found: (count: number, shown: number) =>
    `${count === 1 ? "1 link" : `${count} links`} found${count > shown ? `, the first ${shown} are shown` : ""}`,
  line: "Line",
  cancel: "Cancel",
  create: (count: number) => (count === 0 ? "Create links" : count === 1 ? "Create 1 link" : `Create ${count} links`),
  linksDone: "Links done",
  progress: (done: number, total: number) => `${done} of ${total} done`,
  created: (count: number) => (count === 1 ? "1 link created" : `${count} links created`),
  refused: (count: number) => `${count} refused`,
  notSent: (count: number) => `${count} not sent`,
  refusedTitle: "Refused",
  refusedLines: "Refused lines",
  refusedLine: (line: number, url: string) => `Line ${line}, ${url || "no URL"}:`,
  moreRefused: (count: number) => `and ${count} more, all in the download`,
  noAnswer: "The server did not answer for this line",
  stop: "Stop",
  retry: "Try the refused again",
  download: "Download results",
  done: "Done",
} as const;

export const copyTexts = {
  /** @param what  such as "short URL" */
  copy: (what: string) => `Copy ${what}`,
  copied: "Copied",
  copiedWhat: (what: string) => `Copied ${what}`,
} as const;

export const createLinkTexts = {
  title: { live: "Create a link", test: "Create a test link" },
  destination: "Destination",
  needsUrl: "Enter where the link leads",
  domain: "Domain",
  schedule: "Expiry",
  expires: "Expires",
  expiresHint: "In your time zone. After that, visitors see an error page. Leave empty for a link that never expires.",
  needsFuture: "Choose a time in the future",
  until: (time: string) => `Until ${time}`,
  manyPasted: (count: number) => `You pasted ${count} links`,
  createMany: (count: number) => `Create all ${count} at once`,
  cancel: "Cancel",
  create: "Create link",
  moreWays: "More ways to create it",
  createAndAddRules: "Create and add rules",
  rulesNeedPremium: "Rules are part of the Premium plan",
  created: "Link created",
  leadsTo: (url: string) => `leads to ${url}`,
  shortUrl: "short URL",
  open: "Open link",
  makeQrCode: "QR code",
  addRules: "Add rules",
  another: "Create another",
  done: "Done",
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
  offline: "You are offline. Try again when you are connected.",
  unreachable: "The server cannot be reached. Check your connection and try again.",
  unreadable: (status: number) => `The server answered with an error (${status}). Try again in a moment.`,
  unknown: "Something went wrong",
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

export const noticeTexts = {
  offline: "You are offline.",
  offlineHint: "You can look around, but changes are not saved until you are back online.",
  newRelease: "A new version of Hoplink is ready.",
  reload: "Reload",
  later: "Later",
} as const;

export const partErrorTexts = {
  dialog: "Not loaded",
  notLoaded: "This part could not be loaded",
  failed: "Something went wrong here",
  offline: "The server cannot be reached. What you have entered on this page is still there.",
  outdated: "Hoplink was updated while this page was open. Reload to get the new version.",
  crashed: "The rest of the page still works. If it happens again, reload.",
  tryAgain: "Try again",
  reload: "Reload page",
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

export const slugTexts = {
  label: "Slug",
  hint: "The path of the short URL. Leave empty for a short random one. It can never be changed or reused.",
  checking: "Checking whether this slug is free",
  free: "This slug is free",
  unavailable: (reason: string | null) => `This slug ${reason ?? "is not available"}`,
} as const;

export const utmTexts = {
  title: "Campaign (UTM)",
  hint: "Tell your analytics where visitors come from. The parameters become part of the destination.",
  needsUrl: "Enter the destination first.",
  labels: {
    utm_source: "Source",
    utm_medium: "Medium",
    utm_campaign: "Campaign",
    utm_term: "Term",
    utm_content: "Content",
  },
  placeholders: {
    utm_source: "newsletter",
    utm_medium: "email",
    utm_campaign: "spring-sale",
    utm_term: "running shoes",
    utm_content: "header button",
  },
  preview: "Visitors go to",
} as const;
