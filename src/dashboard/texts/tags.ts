/** Texts of the page of tags. */

export const tagsTexts = {
  title: "Tags",
  hint: "Words that group links. Give them to a link when you create or edit it.",
  search: "Find a tag",
  tag: "Tag",
  links: "Links",
  clicks: "Clicks",
  stats: "Statistics",
  statsOf: (tag: string) => `Statistics of ${tag}`,
  unknown: "–",
  more: "More tags",
  noneFound: "No tag begins with that.",
  none: "No tags yet",
  noneHint: "Tag links to find them together, and to see the clicks of all of them.",
  toLinks: "Show your links",
} as const;
