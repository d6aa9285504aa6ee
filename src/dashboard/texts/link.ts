/** Texts of a link's page. */
import { plural } from "../formatting/numbers.ts";

export const editLinkTexts = {
  dialog: "Edit link",
  tagsHint: "Press Enter after each tag.",
  endsNow: "This time is in the past: the link expires when you save.",
  fixed: "The short URL never changes, so printed QR codes keep working.",
  saved: "Link saved",
  conflictTitle: "This link was changed elsewhere",
  conflict: "Nothing was saved. Reload the link, check your changes, then save them again.",
  conflictReload: "Reload",
} as const;

export const linkHeaderTexts = {
  shortUrl: "short URL",
  addresses: "Short URLs of this link",
  clicks: (count: number) => plural(count, { one: "# click", other: "# clicks" }),
  wholeUrl: "destination",
  fallback: (url: string) => `When inactive, leads to ${url}`,
  created: (date: string) => `Created ${date}`,
  active: "Active",
  activeUntil: (time: string) => `Active until ${time}`,
  opens: (time: string) => `Opens ${time}`,
  expired: (date: string) => `Expired ${date}`,
  paused: "Paused",
  archived: "Archived",
  password: "Password",
  locked: (time: string) => `Locked until ${time}: too many wrong passwords`,
  open: "Open the short URL",
  edit: "Edit",
  delete: "Delete",
} as const;

export const linkPageTexts = {
  title: "Link",
  imageNotUploaded: "The image was not uploaded",
  notFound: "Link not found",
  notFoundHint: "It may have been deleted, or it may belong to the other mode.",
  allLinks: "All links",
  tabs: "Link sections",
  tabNames: { stats: "Statistics", qr: "QR code", history: "History" },
  rules: (count: number) => (count === 0 ? "Rules" : `Rules (${count})`),
} as const;

export const liveTexts = {
  title: "Latest clicks",
  states: {
    connecting: "Connecting",
    live: "Live",
    fallback: "Every 4 seconds",
    waiting: "Waiting",
    reconnecting: "Reconnecting",
  },
  notes: {
    connecting: "",
    live: "",
    fallback: "The live stream is busy, so this list checks for clicks every 4 seconds.",
    waiting: "Your plan's limit on live streams is reached. New clicks appear when another stream ends.",
    reconnecting: "The connection was lost. New clicks will appear once it is restored.",
  },
  filtered: "Showing only clicks that match the filters.",
  gap: "Some clicks are missing from this list. The statistics include them all.",
  pause: "Pause the list",
  resume: "Resume the list",
  paused: "Paused.",
  newWhilePaused: (count: number) => plural(count, { one: "# new click.", other: "# new clicks." }),
  nothingNew: "No new clicks.",
  none: "No clicks yet.",
  noneSince: "Clicks appear here as they happen.",
  notLive: "Live clicks do not support these filters. The numbers on this page are filtered.",
  noneMatching: (max: string) => `None of the latest ${max} clicks matches the filters.`,
  list: "Latest clicks, newest first",
  viaQr: "QR code",
} as const;
