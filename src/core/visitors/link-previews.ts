/**
 * Recognizes programs that fetch a shared link to show a card for it. A list of names instead of bot detection: search
 * engines and AI crawlers must be redirected like people. Callers require a declared bot (declared-bots.ts) as well,
 * so that no browser inside an app matches. Pure.
 */
const LINK_PREVIEW_AGENTS =
  /facebookexternalhit|facebot|twitterbot|linkedinbot|slackbot-linkexpanding|discordbot|^whatsapp\/|telegrambot|skypeuripreview|microsoftpreview|redditbot|pinterestbot|snap url preview|vkshare|^viber|mastodon\/|bluesky cardyb|iframely|embedly|mattermost-bot|synapse \(bot/i;

export function isLinkPreviewAgent(userAgent: string): boolean {
  return LINK_PREVIEW_AGENTS.test(userAgent);
}
