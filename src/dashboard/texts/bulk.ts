/** Texts of creating and exporting many links. */

export const bulkCreateTexts = {
  title: { live: "Create many links", test: "Create many test links" },
  links: "Links",
  linksHint:
    "One link per line: destination, or destination, slug, domain, expiry, title, tags. To choose the columns, start with a line of their names: url, slug, domain, title, tags, starts_at, expires_at, fallback_url, forward_query.",
  chooseFile: "Choose a CSV file",
  unreadableFile: "This file could not be read",
  tooMany: (max: number) => `At most ${max} links at a time`,
  preview: "Preview",
  linksFound: "Links found",
  found: (count: number, shown: number) =>
    `${count === 1 ? "1 link" : `${count} links`} found${count > shown ? `, the first ${shown} are shown` : ""}`,
  line: "Line",
  create: (count: number) => (count === 0 ? "Create links" : count === 1 ? "Create 1 link" : `Create ${count} links`),
  linksDone: "Links done",
  progress: (done: number, total: number) => `${done} of ${total} done`,
  waiting: (reason: string, seconds: number) => `Trying again in ${seconds} s. ${reason}`,
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
} as const;

export const exportTexts = {
  title: "Export links",
  all: "All your links, one after the other, in one file.",
  filtered: "All links that match your search and filters, in one file.",
  format: "Format",
  csv: "CSV for spreadsheets",
  json: "JSON",
  start: "Export",
  reading: (count: number, shown: string) => (count === 1 ? "1 link read …" : `${shown} links read …`),
  saved: (count: number, shown: string) => (count === 1 ? "1 link saved" : `${shown} links saved`),
  failed: (shown: string) => `Stopped after ${shown} links`,
  goOn: "Continue",
} as const;
