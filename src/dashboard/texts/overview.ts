/** Texts of the overview of all links, and of the wall screen. */

export const overviewTexts = {
  title: "Overview",
  createLink: "Create link",
  noLinks: { live: "No links yet", test: "No test links yet" },
  noLinksHint: "Once visitors click a link, this page shows where they come from.",
  example: "128 clicks this week, most of them on phones, half of them from instagram.com",
  createFirst: "Create your first link",
  noClicks: "No clicks yet",
  noClicksHint: "Share a link, or open one yourself. Clicks are counted here within a minute.",
  toLinks: "Show your links",
  wall: "Wall screen",
} as const;

export const wallTexts = {
  title: "Live clicks",
  testMode: "test mode",
  today: "Clicks today",
  lastMinute: "In the last minute",
  visitors: "Visitors today",
  topLinks: "Most clicked today",
  latest: "Latest clicks",
  noneYet: "Clicks appear here as they happen.",
  fullScreen: "Full screen",
  leave: "Leave",
  signedOut: "You are signed out",
  signIn: "Sign in",
} as const;
