/** Texts of creating and exporting many links. */
import { FLAG_MEMBERS } from "../../core/links/link-members.ts";
import { formatCount, plural } from "../formatting/numbers.ts";

export const bulkCreateTexts = {
  title: { live: "Create many links", test: "Create many test links" },
  links: "Links",
  linksHint: `Enter one link per line: a destination, optionally followed by a slug, domain, expiry, title and tags, separated by commas. To choose other columns, start with a header line of their names: url, slug, domain, title, tags, starts_at, expires_at, fallback_url, ${FLAG_MEMBERS.join(", ")}.`,
  chooseFile: "Choose a CSV file",
  unreadableFile: "This file could not be read",
  tooMany: (max: number) => `Enter at most ${formatCount(max)} links`,
  preview: "Preview",
  linksFound: "Links found",
  found: (links: number, lines: number, shown: number) =>
    plural(links, { one: "# link found", other: "# links found" }) +
    (links < lines ? ` in ${plural(lines, { one: "# line", other: "# lines" })}` : "") +
    (lines > shown ? `, showing the first ${shown}` : ""),
  line: "Line",
  create: (count: number) =>
    count === 0 ? "Create links" : plural(count, { one: "Create # link", other: "Create # links" }),
  linksDone: "Links processed",
  progress: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)} done`,
  created: (count: number) => plural(count, { one: "# link created", other: "# links created" }),
  refused: (count: number) => `${formatCount(count)} refused`,
  notSent: (count: number) => `${formatCount(count)} not sent`,
  refusedTitle: "Refused",
  refusedLines: "Refused lines",
  refusedLine: (line: number, url: string) => `Line ${line}, ${url || "no URL"}:`,
  moreRefused: (count: number) => `and ${formatCount(count)} more in the download`,
  noAnswer: "The server returned no result for this line",
  stop: "Stop",
  retry: "Retry refused lines",
  resume: "Send the other lines",
  leaving: {
    title: "Stop creating links?",
    warning: "Links created so far are kept. The lines that are not sent yet will be lost.",
    leave: "Stop and leave",
    stay: "Stay",
    isLoss: true,
  },
  download: "Download results",
} as const;

export const exportTexts = {
  title: "Export links",
  all: "Save all your links to one file.",
  selected: (count: number) =>
    plural(count, { one: "Save the selected link to a file.", other: "Save the # selected links to one file." }),
  filtered: "Save all links that match your search and filters to one file.",
  format: "Format",
  csv: "CSV for spreadsheets",
  json: "JSON",
  start: "Export",
  reading: (count: number) => plural(count, { one: "# link read…", other: "# links read…" }),
  saved: (count: number) => plural(count, { one: "# link saved", other: "# links saved" }),
  failed: (count: number) => plural(count, { one: "Stopped after # link", other: "Stopped after # links" }),
  resume: "Continue",
} as const;
