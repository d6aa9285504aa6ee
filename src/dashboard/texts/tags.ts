/** Texts of the page of tags. */

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
