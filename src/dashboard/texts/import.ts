/** Texts of the page that imports links from other services. */
import { formatCount, plural } from "../formatting/numbers.ts";

interface HistoryCounts {
  clicks: number;
  links: number;
  unmatched: number;
  unreadable: number;
}

const links = (count: number) => plural(count, { one: "# link", other: "# links" });

export const importTexts = {
  title: "Import links",
  description: "Import links from another service. Their slugs stay the same.",
  testMode: "In test mode, they become test links.",
  guide: "How to export from each service",
  file: "Export file",
  drop: "Drop an export file here",
  services: "From dub, Bitly, Short.io, Kutt, Sink, Shlink, YOURLS or Rebrandly: CSV, JSON or SQL",
  choose: "Choose a file",
  chooseOther: "Choose another file",
  reading: "Reading the file…",
  unreadable: "This file cannot be imported",
  workerFailed: "The file could not be read. Check your connection, then choose it again.",
  format: "Format",
  chooseFormat: "Choose the service",
  recognized: "Detected from its content",
  encoding: "The file is not encoded in UTF-8. Check titles with accented letters.",
  lost: "Not imported",
  lostItem: (name: string, count: number) => `${name} (${formatCount(count)})`,
  unread: (names: string) => `Unknown and ignored: ${names}`,
  clicks: "Click history (optional)",
  clicksHint: "A file of single clicks from the same service. Without it, statistics begin with the first visit here.",
  chooseClicks: "Choose a file of clicks",
  removeClicks: "Remove the file of clicks",
  sums: (count: number) => `Each link shows how many clicks it had before (${formatCount(count)} in all).`,
  domains: "Target domains",
  domainFor: (name: string, count: number) =>
    name === "" ? `Links without a domain (${formatCount(count)})` : `${name} (${links(count)})`,
  chooseDomain: "Choose a domain",
  notYours: "This is not one of your domains. Choose another, or add this one in the settings first.",
  moreDomains: (count: number) =>
    plural(count, {
      one: "# more domain: its links are refused unless it is yours",
      other: "# more domains: their links are refused unless the domain is yours",
    }),
  settings: "Settings",
  forwardQuery: "Forward query parameters",
  forwardQueryHint: "As dub, Short.io and Shlink do. Otherwise, only links with this setting in the file do.",
  withoutRules: (count: number) => `Skip targeting by device, country or share (${formatCount(count)})`,
  withoutRulesHint: "Rules require the Premium plan.",
  withoutPasswords: (count: number) => `Open password-protected links to everyone (${formatCount(count)})`,
  withoutPasswordsHint:
    "Otherwise, they are imported paused, because their passwords are not known. Filter links by Paused, set each password, then resume the link.",
  update: "Overwrite existing links that differ",
  updateHint: "Otherwise, they are not changed.",
  handOver: "Hand the imported links over to the API",
  handOverHint: "Programs with an API key can then use their QR codes and live clicks. You cannot undo this.",
  caseTitle: (domain: string) => `Some slugs on ${domain} differ only in case`,
  caseHint: "They count as one link, so the second of each is refused. With case-sensitive slugs, both are imported.",
  makeCaseSensitive: "Make slugs case-sensitive",
  preview: "Preview",
  previewState: (ready: number, refused: number) =>
    refused === 0 ? `${links(ready)} ready` : `${links(ready)} ready, ${formatCount(refused)} refused`,
  firstShown: (count: number, hasRefused: boolean) =>
    hasRefused ? `Showing the first ${count}, with refused ones at the top.` : `Showing the first ${count}.`,
  place: { line: "Line", entry: "Entry" },
  source: "Old address",
  target: "New address",
  destination: "Destination",
  check: "Check only",
  start: (count: number) => (count === 0 ? "Import" : plural(count, { one: "Import # link", other: "Import # links" })),
  cancel: "Cancel",
  checking: "Checking",
  importing: "Importing",
  progress: {
    compare: "Checking for existing links…",
    write: (done: number, total: number) => `${formatCount(done)} of ${links(total)} done`,
    history: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)} earlier clicks done`,
  },
  checkDone: "Nothing was changed. An import would have this result:",
  done: "Import finished",
  stopped: "The import stopped",
  stoppedHint: (reason: string, count: number) =>
    `${reason} ${links(count)} not sent. Import again to continue: no link is created twice.`,
  created: "Created",
  wouldCreate: "To be created",
  updated: "Changed",
  wouldUpdate: "To be changed",
  unchanged: "Unchanged",
  differs: "Existing links that differ",
  differsHint: "They are not changed.",
  refused: "Refused",
  refusedRow: (place: string, at: number, address: string) => `${place} ${at}${address === "" ? "" : `, ${address}`}:`,
  more: (count: number) => `and ${formatCount(count)} more in the download`,
  differsIn: (members: string) => `Different: ${members}`,
  existing: {
    reason: (members: string) => `This link already exists with different values: ${members}`,
    advice: "The existing link is not changed unless you choose to overwrite it.",
  },
  withoutPassword: "Paused",
  withoutPasswordHint: "Their passwords are not known. Set a password for each, then resume the link.",
  withoutClicks: "Links without their earlier clicks",
  history: ({ clicks, links: count, unmatched, unreadable }: HistoryCounts) =>
    `${formatCount(clicks)} earlier clicks of ${links(count)}. Skipped: ${formatCount(unmatched)} clicks of other links, ${formatCount(unreadable)} that cannot be read.`,
  undo: {
    command: (id: string) => `To remove these clicks from the links later: hoplink imports delete ${id}`,
    start: "Undo this import",
    title: "Undo this import?",
    clicks: (count: number) => plural(count, { one: "# earlier click", other: "# earlier clicks" }),
    warning: ["This removes ", " from the links and their statistics. The links stay."],
    confirm: "Undo import",
    left: (count: number, isLeast: boolean) => `${isLeast ? "At least " : ""}${links(count)} left`,
    done: (clicks: string) => `Removed ${clicks}`,
    undone: "These clicks are removed from the links.",
    failed: "The import could not be undone",
  },
  download: "Download refused rows",
  back: "Back to import settings",
  toLinks: "Go to your links",
  leaving: {
    title: "Stop the import?",
    warning: "Links imported so far are kept. Import the same file again to continue: no link is created twice.",
    leave: "Stop and leave",
    stay: "Stay",
  },
} as const;
