/** Texts of the list of links, its rows and its dialogs, and of the page of tags. */
import { formatCount, plural } from "../formatting/numbers.ts";

const changed = (count: number) => plural(count, { one: "# link changed", other: "# links changed" });
const rules = (count: number) => plural(count, { one: "# rule", other: "# rules" });

export const bulkActionTexts = {
  qrSheet: "QR sheet",
  actions: "Selected links",
  tag: "Tag",
  setExpiry: "Set expiry",
  changeDestination: "Change destination",
  delete: "Delete",
  refused: (count: number) => plural(count, { one: "# link was refused", other: "# links were refused" }),
  refusedLinks: "Refused links",
  progress: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)} links done`,
  stopped: (count: number) =>
    plural(count, { one: "Stopped. # link was not changed.", other: "Stopped. # links were not changed." }),
  noAnswer: "The server returned no result for this link",
  leaving: {
    title: "Stop this change?",
    warning: "Links changed so far stay changed. The others stay as they are.",
    leave: "Stop and leave",
    stay: "Stay",
  },
  deleteTitle: (count: number) => plural(count, { one: "Delete this link?", other: "Delete these # links?" }),
  deleteWarning:
    "Deleted links stop working within seconds, wherever they are printed or shared. Their slugs can never be used again.",
  deleteLinks: (count: number) => plural(count, { one: "Delete link", other: "Delete # links" }),
  deleted: (count: number) => plural(count, { one: "# link deleted", other: "# links deleted" }),
  erase: "Also delete their clicks",
  expiryTitle: (count: number) => plural(count, { one: "Expiry of # link", other: "Expiry of # links" }),
  expiry: "Expiry",
  expiryChoices: { at: "At a time", now: "Now", never: "Never" },
  timeZoneHint: "In your time zone",
  expirySet: changed,
  tagTitle: (count: number) => plural(count, { one: "Tags of # link", other: "Tags of # links" }),
  tagAction: "Action",
  addTags: "Add tags",
  removeTags: "Remove tags",
  tagged: changed,
} as const;

export const handOverTexts = {
  label: "Hand over to the API",
  title: (count: number) =>
    plural(count, { one: "Hand this link over to the API?", other: "Hand these # links over to the API?" }),
  hint: "Programs with an API key can then create and read QR codes of these links, and receive their clicks as they happen. You cannot undo this.",
  changed: (count: number) =>
    plural(count, { one: "# link handed over to the API", other: "# links handed over to the API" }),
} as const;

export const bulkDestinationTexts = {
  title: (count: number) => plural(count, { one: "Destination of # link", other: "Destinations of # links" }),
  find: "Find",
  findHint: "Part of a destination, exactly as written",
  replacement: "Replace with",
  everywhere: "Also in the destinations of rules and in fallbacks",
  needsText: "Enter a text to see what will change.",
  preview: (changed: number, of: number) =>
    changed === 0
      ? "None of the selected links contains this text."
      : `${plural(changed, { one: "# link", other: "# links" })} of ${formatCount(of)} will change`,
  changes: "Changes",
  more: (count: number) => plural(count, { one: "and # more change", other: "and # more changes" }),
  noUrl: "not a valid URL",
  submit: (count: number) => plural(count, { one: "Change # link", other: "Change # links" }),
  done: changed,
} as const;

/** Actions that set or clear a member that is on or off. */
export const switchTexts = {
  pause: {
    label: "Pause",
    done: (link: string) => `${link} is paused`,
    title: (count: number) => plural(count, { one: "Pause this link?", other: "Pause these # links?" }),
    hint: "Visitors see that a link is paused, or go to its fallback. You can resume links at any time.",
    changed: (count: number) => plural(count, { one: "# link paused", other: "# links paused" }),
  },
  resume: {
    label: "Resume",
    done: (link: string) => `${link} is no longer paused`,
    title: (count: number) => plural(count, { one: "Resume # link", other: "Resume # links" }),
    hint: "Links that are expired or not open yet stay closed.",
    changed: (count: number) => plural(count, { one: "# link resumed", other: "# links resumed" }),
  },
  archive: {
    label: "Archive",
    done: (link: string) => `${link} is archived`,
    title: (count: number) => plural(count, { one: "Archive # link", other: "Archive # links" }),
    hint: "Lists leave archived links out. They still redirect and count clicks.",
    changed: (count: number) => plural(count, { one: "# link archived", other: "# links archived" }),
  },
  unarchive: {
    label: "Unarchive",
    done: (link: string) => `${link} is no longer archived`,
    title: (count: number) => plural(count, { one: "Unarchive # link", other: "Unarchive # links" }),
    hint: "Lists show these links again.",
    changed: (count: number) => plural(count, { one: "# link unarchived", other: "# links unarchived" }),
  },
} as const;

export const createLinkTexts = {
  title: { live: "Create a link", test: "Create a test link" },
  titleAndTags: "Title and tags",
  tagsHint: "Group and find links by tags. Press Enter after each tag.",
  manyPasted: (count: number) => `You pasted ${formatCount(count)} links`,
  createMany: (count: number) => `Create all ${formatCount(count)} links`,
  create: "Create link",
  rules: "Rules",
  rulesHint: "Send visitors to other destinations by country, device, language and more.",
  ruleCount: rules,
  rulesOnPremium: "Rules require the Premium plan.",
  useRules: "Build rules",
  created: "Link created",
  opens: (time: string) => `Opens ${time}. Until then, visitors see an error page.`,
  opensWithFallback: (time: string, url: string) => `Opens ${time}. Until then, it leads to ${url}`,
  shortUrl: "short URL",
  address: "Short URL",
  copied: "Copied. Press Enter to close.",
  open: "Open link",
  qrCode: "QR code",
  addRules: "Add rules",
  another: "Create another",
} as const;

export const deleteLinkTexts = {
  title: "Delete this link?",
  warning: ["", " stops working within seconds, wherever it is printed or shared. Its slug can never be used again."],
  erase: "Also delete its clicks",
  eraseHint: "Otherwise, they stay in your account's statistics.",
  confirm: "Delete link",
  done: (name: string) => `${name} was deleted`,
  failed: "The link was not deleted",
} as const;

export const firstStepsTexts = {
  title: "Get started",
  progress: (done: number, of: number) => `${done} of ${of} steps done`,
  count: (done: number, of: number) => `${done} of ${of}`,
  show: "Show steps",
  hide: "Hide steps",
  dismiss: "Dismiss permanently",
  done: "Done:",
  open: "To do:",
  premium: "Part of the Premium plan",
  steps: {
    link: "Create a short link",
    click: "Open it and see the click counted",
    rule: "Send some visitors elsewhere with a rule",
    key: "Create an API key for your programs",
    domain: "Use your own domain",
  },
  actions: { link: "Create one", click: "Open link", rule: "Add a rule", key: "Create key", domain: "Add domain" },
  programs: "To do all of this from code, see the",
  apiReference: "API reference",
} as const;

export const linkFilterTexts = {
  search: "Search links",
  searchPlaceholder: "Slug, title, tag, destination or short URL",
  clearSearch: "Clear search",
  /** @param chosen  how many filters are on */
  filters: (chosen: number) => (chosen === 0 ? "Filters" : `Filters (${chosen})`),
  domain: "Domain",
  allDomains: "All domains",
  tags: "Tags",
  anyTag: "Any tag",
  clearTags: "Clear tags",
  noTag: "No matching tag",
  searchingTags: "Searching…",
  status: "Status",
  anyStatus: "Any status",
  statuses: {
    active: "Active",
    paused: "Paused",
    scheduled: "Scheduled",
    expired: "Expired",
    archived: "Archived",
  },
  rules: "Rules",
  anyRules: "Any rules",
  ruleChoices: { true: "With rules", false: "Without rules" },
  origin: "Created by",
  anyOrigin: "Any creator",
  origins: { dashboard: "Created here", api: "Created by the API" },
  clear: "Clear filters",
  order: "Order",
  orders: { "-created_at": "Newest first", created_at: "Oldest first", "-clicks": "Most clicks" },
} as const;

export const savedViewTexts = {
  views: "Views",
  title: "Saved views",
  none: "No saved views yet",
  failed: "Views could not be loaded",
  shown: "Shown",
  all: "All links",
  edit: "Save or delete views…",
  name: "Name",
  nameHint: "Saves the search, the filters and the order. Your views are available wherever you sign in.",
  replaces: "You have a view of this name. It will be replaced.",
  nothingToSave: "To save a view, first search, filter or sort the list.",
  tooLong: "This view has too many filters to be saved.",
  save: "Save view",
  saved: (name: string) => `View ${name} saved`,
  delete: (name: string) => `Delete view ${name}`,
  deleted: (name: string) => `View ${name} deleted`,
  notDeleted: "The view was not deleted",
} as const;

export const columnTexts = {
  title: "Columns",
  names: {
    title: "Title",
    destination: "Destination",
    created: "Creation date",
    creator: "Creator",
    tags: "Tags",
    rules: "Rules",
    clicks: "Clicks",
  },
} as const;

export const linkListTexts = {
  createHint: "Create a link (C)",
  title: "Links",
  create: "Create link",
  createMany: "Create many",
  noLinks: { live: "No links yet", test: "No test links yet" },
  createFirst: { live: "Create your first link", test: "Create your first test link" },
  noLinksHint: "Paste a long URL anywhere on this page, or use the button. To create links from code,",
  readDocs: "read the quickstart",
  example: (host: string) => `${host}/spring leads to https://example.com/spring-sale`,
  movingHint: "Moving from another link shortener?",
  importThem: "Import your links",
  noMatches: "No links match",
  noMatchesHint: "Try a shorter search, or remove a filter.",
  showAll: "Show all links",
  noMore: "There are no more links.",
  noneSoFar: "No match so far.",
  searchingFurther: (step: number, of: number) => `Still searching, step ${step} of ${of}…`,
  pages: "Pages",
  previous: "Previous",
  firstPage: "First page",
  next: "Next",
  searchOn: "Keep searching",
  pageSize: "Links per page",
  perPage: (count: number) => `${count} per page`,
  range: (first: number, last: number, total?: string) => {
    const places = first === last ? String(first) : `${first}–${last}`;
    return total === undefined ? places : `${places} of ${total}`;
  },
  select: (link: string) => `Select ${link}`,
  selectPage: "Select all links on this page",
  selected: (count: number) => `${formatCount(count)} selected`,
  selectMatching: "Select all matching links",
  onlyFirst: (max: number) => `Only the first matching links are selected, at most ${formatCount(max)}.`,
  notSelected: "The matching links could not be read",
  sortedByClicks: "Total clicks (excluding bots)",
  export: "Export",
  import: "Import",
  shortUrlOf: (link: string) => `short URL ${link}`,
  notChanged: "The link was not changed",
  qrCodeOf: (link: string) => `QR code of ${link}`,
  moreFor: (link: string) => `More actions for ${link}`,
  open: "Open",
  edit: "Edit",
  duplicate: "Duplicate",
  copy: "Copy short URL",
  notCopied: "The short URL was not copied",
  editRules: "Edit rules",
  visit: "Visit",
  delete: "Delete",
  rules,
  onlyTag: (tag: string) => `Show only links tagged ${tag}`,
  paused: "Paused",
  password: "Password",
  archived: "Archived",
  expired: "Expired",
  expiredAt: (time: string) => `Expired ${time}`,
  opens: (date: string) => `Opens ${date}`,
  until: (date: string) => `Until ${date}`,
  leadsTo: (url: string) => `Leads to ${url}`,
  fallback: (url: string) => `When inactive, visitors go to ${url}`,
  clicks: (count: number) => plural(count, { one: "# click", other: "# clicks" }),
  clicksTitle: (count: number) => `Clicks in the last 30 days: ${formatCount(count)}`,
  noneLately: "None in 30 days",
  totalClicksTitle: (count: number) => `Total clicks: ${formatCount(count)}`,
  clicksFailed: "Clicks could not be loaded",
  clicksLater: "Too many requests. Clicks load again automatically.",
  lastClickToday: "Last click today",
  lastClickYesterday: "Last click yesterday",
  lastClick: (date: string) => `Last click ${date}`,
  noRecentClick: "in 30 days",
} as const;

export const qrPopoverTexts = {
  none: "This link has no QR code yet.",
  create: "Create QR code",
  design: "Design a code",
  image: "The newest QR code of this link",
  scans: (count: number) => plural(count, { one: "# scan", other: "# scans" }),
  download: (format: string) => `Download ${format}`,
} as const;

export const tagsTexts = {
  title: "Tags",
  hint: "Tags group links. Add them when you create or edit a link.",
  search: "Find a tag",
  tag: "Tag",
  links: "Links",
  clicks: "Clicks",
  stats: "Statistics",
  statsOf: (tag: string) => `Statistics of ${tag}`,
  unknown: "–",
  more: "Show more tags",
  noneFound: "No matching tags.",
  none: "No tags yet",
  noneHint: "Tag links to find them together and to see their total clicks.",
  example: "spring-sale, on the links in your newsletter, on posters and in ads",
  toLinks: "Show your links",
} as const;
