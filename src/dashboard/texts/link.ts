/** Texts of a link's page. */

export const editLinkTexts = {
  dialog: "Edit link",
  tagsHint: "Press Enter after each one.",
  endsNow: "This is in the past: the link ends when you save.",
  fixed: "The short URL itself never changes, so printed codes keep working.",
  saved: "Link saved",
  conflictTitle: "This link was changed elsewhere",
  conflict: "Nothing was saved. Load the link as it is now, then make your change again.",
  conflictReload: "Load it",
} as const;

export const linkHeaderTexts = {
  shortUrl: "short URL",
  wholeUrl: "destination",
  leadsTo: (url: string) => `leads to ${url}`,
  fallback: (url: string) => `while closed, to ${url}`,
  created: (date: string) => `Created ${date}`,
  active: "Active",
  activeUntil: (time: string) => `Active until ${time}`,
  opens: (time: string) => `Opens ${time}`,
  expired: (date: string) => `Expired ${date}`,
  open: "Open the short URL",
  edit: "Edit",
  delete: "Delete",
} as const;

export const linkPageTexts = {
  title: "Link",
  notFound: "No such link",
  notFoundHint: "It may have been deleted, or it belongs to the other mode.",
  allLinks: "All links",
  tabs: "Parts of this link",
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
    waiting: "As many live streams are open as your plan allows. This list goes on when one ends.",
    reconnecting: "The connection was lost. Clicks that happen now will appear once it is back.",
  },
  filtered: "Only clicks that match the filters.",
  gap: "Some clicks are missing from this list. The statistics include them all.",
  pause: "Pause the list",
  resume: "Resume the list",
  paused: "Paused.",
  newWhilePaused: (count: string, isOne: boolean) => `${count} new ${isOne ? "click" : "clicks"}.`,
  nothingNew: "Nothing new.",
  none: "No clicks yet.",
  noneSince: "Clicks appear here as they happen.",
  notLive: "Live clicks do not tell what these filters are about. The numbers on this page do.",
  noneMatching: (max: string) => `None of the latest ${max} clicks matches the filters.`,
  list: "Latest clicks, newest first",
  viaQr: "QR code",
} as const;
