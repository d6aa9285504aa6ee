/** Texts of the fields of a link, in the forms that create and change it. */

/** Labels of a link's fields. */
export const memberTexts = {
  url: "Destination",
  needsUrl: "Enter a destination",
  domain: "Domain",
  aliases: "Aliases",
  title: "Title",
  titleHint: "A name for you and your team. Visitors never see it.",
  tags: "Tags",
  starts_at: "Opens",
  expires_at: "Expires",
} as const;

export const linkErrorTexts = {
  titleError: (most: number) => `Use 1 to ${most} characters.`,
  tagsError: (most: number) => `Use 1 to ${most} characters for each tag.`,
  tagTwice: "Remove the duplicate tag. Upper and lower case count as the same.",
  opensAfterEnd: "The link must open before it expires.",
  slugTaken: "This slug is taken",
  /** @param why  such as "is reserved" */
  slug: (why: string) => `This slug ${why}`,
} as const;

export const linkPreviewTexts = {
  title: "Preview on social networks",
  hint: "Networks and messengers read this preview from the destination page.",
  needsUrl: "Enter a destination first.",
  show: "Show preview",
  loading: "Loading the preview",
  notFetched:
    "Hoplink could not load this page, so its preview is unknown. Check the address. Some websites block automated requests.",
  nothing: "This page has no preview data. Networks will show only its address.",
} as const;

export const socialTexts = {
  section: "Custom preview",
  hint: "Social networks and messengers show this card instead of the one of the destination page.",
  title: "Preview title",
  description: "Preview description",
  image: "Preview image",
  imageHint: (megabytes: number, pixels: number) =>
    `An https address, or a PNG, JPEG or WebP file of up to ${megabytes} MB and ${pixels} pixels on each side. 1200 × 630 pixels fit best.`,
  upload: "Upload an image",
  discard: (name: string) => `Remove ${name}`,
  tooLarge: (megabytes: number) => `Choose an image of up to ${megabytes} MB.`,
  foreignImage: "Images of other websites are not shown here.",
} as const;

export const scheduleTexts = {
  title: "Schedule",
  opensHint: (zone: string) => `In your time zone, ${zone}. Leave empty to open immediately.`,
  expiresHint: (zone: string) => `In your time zone, ${zone}. Leave empty to never expire.`,
  needsFuture: "Choose a time in the future",
  fallback: "Fallback URL",
  fallbackHint:
    "Where visitors go before the link opens, after it expires and while it is paused. Leave empty to show an error page.",
  from: (time: string) => `From ${time}`,
  until: (time: string) => `Until ${time}`,
  /** @param field  such as "Expires" */
  clear: (field: string) => `Clear: ${field}`,
  clearShort: "Clear",
} as const;

/** Switches of the members that are on or off. */
export const flagTexts = {
  forward_query: {
    label: "Forward query parameters",
    hint: "Visitors keep parameters added to the short URL, such as ?\u2060ref=poster.",
  },
  forward_path: {
    label: "Forward paths",
    hint: "Visitors keep what they add to the short URL's path, such as /page.",
  },
  noindex: {
    label: "Hide from search engines",
    hint: "Redirects ask search engines not to list the short URL.",
  },
  paused: {
    label: "Pause",
    hint: "Visitors see that the link is paused, or go to its fallback. Their visits are not counted.",
  },
  archived: {
    label: "Archive",
    hint: "Lists leave the link out, unless you filter by archived links. It still redirects and counts clicks.",
  },
} as const;

export const passwordTexts = {
  require: "Require a password",
  requireHint: "Visitors must enter it before they are redirected.",
  label: "Password",
  hint: (least: number, most: number) => `${least} to ${most} characters. It is not shown again after you save.`,
  keepHint: "The link has a password. Leave empty to keep it.",
  needed: "Enter a password",
  error: (least: number, most: number) => `Use ${least} to ${most} characters.`,
} as const;

export const redirectStatusTexts = {
  label: "Redirect status",
  hint: "Search engines treat 301 and 308 as permanent. Changes still take effect immediately.",
  names: {
    302: "302 – temporary (default)",
    301: "301 – permanent",
    307: "307 – temporary, keeps the method",
    308: "308 – permanent, keeps the method",
  },
} as const;

export const slugTexts = {
  label: "Slug",
  hint: "The path of the short URL. Letters, digits, emoji, - _ . ~ and /. Leave empty for a random one. It can't be changed or reused later.",
  checking: "Checking whether this slug is free",
  free: "This slug is free",
  use: (slug: string) => `Use ${slug}`,
  unavailable: (reason: string | null) => `This slug ${reason ?? "is not available"}`,
} as const;

export const aliasTexts = {
  hint: "More short URLs for the same link, such as other spellings. Each counts as a link of your plan.",
  retired: "A removed alias stops working permanently, and only this link can have it again.",
  add: "Add an alias",
  row: (place: number) => `Alias ${place}`,
  slug: (place: number) => `Slug of alias ${place}`,
  domain: (place: number) => `Domain of alias ${place}`,
  remove: (place: number) => `Remove alias ${place}`,
  needed: "Enter a slug, or remove this alias",
} as const;

export const tagTexts = {
  placeholder: "Add a tag",
  clear: "Remove all tags",
} as const;

export const utmTexts = {
  title: "Campaign (UTM)",
  hint: "Show your analytics where visitors come from. The parameters are added to the destination.",
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
  useTemplate: "Use a template",
  noTemplates: "No templates yet",
  manageTemplates: "Manage templates",
  preview: "Visitors go to",
} as const;
