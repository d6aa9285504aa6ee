/** Texts of the fields of a link, in the forms that create and change it. */

/** What can be set of a link. */
export const memberTexts = {
  url: "Destination",
  needsUrl: "Enter where the link leads",
  domain: "Domain",
  title: "Title",
  titleHint: "A name for you and your team. Visitors never see it.",
  tags: "Tags",
  starts_at: "Opens",
  expires_at: "Expires",
} as const;

export const destinationTexts = {
  leadsTo: (url: string) => `Leads to ${url}`,
} as const;

export const instantTexts = {
  /** @param field  such as "Expires" */
  clear: (field: string) => `Clear: ${field}`,
  clearShort: "Clear",
} as const;

export const linkErrorTexts = {
  titleError: (most: number) => `A title has 1 to ${most} characters.`,
  tagsError: (most: number) => `A tag has 1 to ${most} characters.`,
  tagTwice: "A tag is there twice; upper and lower case count as the same.",
  opensAfterEnd: "The link must open before it expires.",
  slugTaken: "This slug is taken",
  /** @param why  such as "is reserved" */
  slug: (why: string) => `This slug ${why}`,
} as const;

export const linkPreviewTexts = {
  title: "Preview on social networks",
  hint: "Networks and messengers read this from the destination, not from the link.",
  needsUrl: "Enter a destination first.",
  show: "Show preview",
  loading: "The preview is being loaded",
  nothing: "This page says nothing about itself: networks will show the bare address.",
} as const;

export const scheduleTexts = {
  title: "Schedule",
  opensHint: (zone: string) => `In your time zone, ${zone}. Empty means at once.`,
  expiresHint: (zone: string) => `In your time zone, ${zone}. Empty means never.`,
  needsFuture: "Choose a time in the future",
  fallback: "Where visitors go before and after",
  fallbackHint: "Leave empty to show them an error page.",
  from: (time: string) => `From ${time}`,
  until: (time: string) => `Until ${time}`,
  forward: "Pass on visitors' query parameters",
  forwardHint: "What is added to the short URL, such as ?\u2060ref=poster, goes along with the visitor.",
} as const;

export const slugTexts = {
  label: "Slug",
  hint: "The path of the short URL. Leave empty for a short random one. It can never be changed or reused.",
  checking: "Checking whether this slug is free",
  free: "This slug is free",
  unavailable: (reason: string | null) => `This slug ${reason ?? "is not available"}`,
} as const;

export const tagTexts = {
  placeholder: "Add a tag",
  clear: "Remove all tags",
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
