/**
 * Values of the forms that create and edit links: filled from a link, cleaned as they are typed, and converted to a
 * request. Also the API's errors, by input, in the words of the forms. Pure.
 */
import type { UseFormReturnType } from "@mantine/form";

import type { CreateLink, Link, UpdateLink } from "../../../core/contract/links.ts";
import type { Problem } from "../../../core/errors.ts";
import {
  LINK_PASSWORD_MAX_CHARS,
  LINK_PASSWORD_MIN_CHARS,
  SLUG_MAX_CHARS,
  SOCIAL_DESCRIPTION_MAX_CHARS,
  SOCIAL_TITLE_MAX_CHARS,
  TAG_MAX_CHARS,
  TITLE_MAX_CHARS,
} from "../../../core/limits.ts";
import { FLAG_MEMBERS, type FlagMember, REDIRECT_STATUSES, type SocialCard } from "../../../core/links/link-members.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { browserTimeZone, fromDatetimeLocal, toDatetimeLocal } from "../../formatting/dates.ts";
import { aliasTexts, linkErrorTexts, scheduleTexts, memberTexts, passwordTexts } from "../../texts/link-form.ts";
import { ruleMessage } from "../link/rules/rule-form.ts";

export type LinkForm = ReturnType<typeof newLinkForm>;
export type EditLinkValues = ReturnType<typeof toEditLinkValues>;

/** What both link forms pass to the inputs that they have in common. */
export type LinkFields = Pick<
  UseFormReturnType<EditLinkValues>,
  "values" | "errors" | "getInputProps" | "setFieldValue" | "insertListItem" | "removeListItem"
>;

export function newLinkForm(url: string) {
  return { ...toEditLinkValues({ url }), slug: "", domain: "" };
}

/** Empty texts are not set. Instants are in the format of a `datetime-local` input. */
export function toEditLinkValues(link: Pick<Link, "url"> & Partial<Link>) {
  const { title = "", description = "", image = "" } = link.social ?? {};
  return {
    url: link.url,
    aliases: (link.aliases ?? []).map(({ domain, slug }) => ({ domain, slug })),
    title: link.title ?? "",
    tags: link.tags ?? [],
    starts_at: toDatetimeLocal(link.starts_at ?? "", browserTimeZone()),
    expires_at: toDatetimeLocal(link.expires_at ?? "", browserTimeZone()),
    fallback_url: link.fallback_url ?? "",
    redirect_status: String(link.redirect_status ?? REDIRECT_STATUSES[0]),
    social: { title, description, image },
    password_protected: link.password_protected ?? false,
    /** A new one; empty to keep the link's. */
    password: "",
    ...flagsOf(link),
  };
}

/** For a new link at a new address. Neither closed nor hidden, whatever the copied one is. */
export function copiedLinkForm(link: Link, activeDomains: readonly string[]): LinkForm {
  const values = toEditLinkValues(link);
  const isAhead = (instant: string | null | undefined) => instant != null && Date.parse(instant) > Date.now();
  return {
    ...values,
    slug: "",
    domain: activeDomains.includes(link.domain) ? link.domain : "",
    aliases: [],
    starts_at: isAhead(link.starts_at) ? values.starts_at : "",
    expires_at: isAhead(link.expires_at) ? values.expires_at : "",
    paused: false,
    archived: false,
  };
}

function flagsOf(link: Partial<Record<FlagMember, boolean | undefined>>): Record<FlagMember, boolean> {
  return Object.fromEntries(FLAG_MEMBERS.map((name) => [name, link[name] ?? false])) as Record<FlagMember, boolean>;
}

/** Omits empty values. */
export function toCreateLink({ slug, domain, ...values }: LinkForm): CreateLink {
  const { url, ...members } = contentOf(values);
  const filled = Object.entries({ slug, domain, ...members }).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  );
  return { url, ...Object.fromEntries(filled) };
}

/** Only edited values: inputs of instants have whole seconds, and would truncate the stored milliseconds. */
export function toLinkChanges(link: Link, values: EditLinkValues): UpdateLink {
  const [before, after] = [contentOf(toEditLinkValues(link)), contentOf(values)];
  const edited = (Object.keys(after) as (keyof typeof after)[]).filter(
    (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(edited.map((name) => [name, after[name]]));
}

/** Empty values become null, which clears them. An undefined password is kept. */
function contentOf({ password_protected, ...values }: EditLinkValues) {
  const { url, aliases, title, tags, starts_at, expires_at, fallback_url } = values;
  const { redirect_status, social, password } = values;
  const flags = flagsOf(values);
  return {
    url: completeUrl(url),
    aliases: aliases.length > 0 ? aliases.map(({ domain, slug }) => ({ domain, slug: slug.trim() })) : null,
    title: title.trim() || null,
    tags: tags.length > 0 ? tags : null,
    starts_at: instantOf(starts_at) || null,
    expires_at: instantOf(expires_at) || null,
    fallback_url: completeUrl(fallback_url) || null,
    redirect_status: REDIRECT_STATUSES.find((status, i) => i > 0 && String(status) === redirect_status) ?? null,
    social: cardOf(social),
    password: password_protected ? password || undefined : null,
    ...flags,
  } satisfies Record<keyof typeof values, unknown>;
}

function cardOf({ title, description, image }: EditLinkValues["social"]): SocialCard | null {
  const texts = { title: title.trim(), description: description.trim(), image: completeUrl(image) };
  const filled = Object.entries(texts).filter(([, text]) => text !== "");
  return filled.length > 0 ? Object.fromEntries(filled) : null;
}

export const ALIAS_RULES = { slug: (slug: string) => (slug.trim() ? null : aliasTexts.needed) };

export const LINK_FORM_RULES = {
  aliases: ALIAS_RULES,
  password: (_: string, values: LinkForm) => passwordProblem(values),
  url: (value: string) => (value.trim() ? null : memberTexts.needsUrl),
  starts_at: (value: string, { expires_at }: LinkForm) =>
    value && expires_at && instantOf(value) >= instantOf(expires_at) ? linkErrorTexts.opensAfterEnd : null,
  expires_at: (value: string) =>
    value && instantOf(value) <= new Date().toISOString() ? scheduleTexts.needsFuture : null,
};

/** @param link  the edited link; undefined for a new one */
export function passwordProblem(
  { password_protected, password }: Pick<LinkForm, "password_protected" | "password">,
  link?: Link,
): string | null {
  return password_protected && password === "" && !link?.password_protected ? passwordTexts.needed : null;
}

function instantOf(local: string): string {
  return fromDatetimeLocal(local, browserTimeZone());
}

/**
 * Finds and replaces a text in the destinations of a link.
 * @param find  found as typed, everywhere in a destination
 * @returns null changes if it is nowhere
 */
export function replaceDestinations(
  { url, routing, fallback_url }: Pick<Link, "url" | "routing" | "fallback_url">,
  find: string,
  replacement: string,
  parts: { rules: boolean; fallback: boolean },
) {
  /** `isUrl`: whether the result can be a destination; the server has the last word. */
  const texts: { before: string; after: string; isUrl: boolean }[] = [];
  const replaced = (before: string): string => {
    const after = find === "" ? before : before.replaceAll(find, () => replacement);
    const isUrl = /^https?:\/\/[^\s/]/i.test(after) && URL.canParse(after);
    if (after !== before) texts.push({ before, after, isUrl });
    return after;
  };
  const changes: UpdateLink = {};
  const changed = replaced(url);
  if (changed !== url) changes.url = changed;
  const count = texts.length;
  const rules = parts.rules ? routing.map((rule) => ({ ...rule, to: replaced(rule.to) })) : [];
  if (texts.length > count) changes.routing = rules;
  const fallback = parts.fallback && fallback_url ? replaced(fallback_url) : fallback_url;
  if (fallback !== fallback_url) changes.fallback_url = fallback;
  return { changes: texts.length > 0 ? changes : null, texts };
}

/** The first message of each input. */
export function linkErrors(problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(problems.toReversed().map((problem) => [fieldOf(problem), messageOf(problem)]));
}

/** `tags.2` belongs to the input for tags. Each text of the card and each part of an alias has its own input. */
function fieldOf({ path }: Problem): string {
  if (path.startsWith("social.")) return path;
  if (/^aliases\.\d+/.test(path))
    return path.endsWith(".domain") ? path : path.replace(/^(aliases\.\d+).*$/, "$1.slug");
  return path.split(".")[0] ?? path;
}

function messageOf(problem: Problem): string {
  const { path, code, message } = problem;
  const withoutPath = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
  if (code === "wrong_order") return linkErrorTexts.opensAfterEnd;
  if (code === "slug_taken") return linkErrorTexts.slugTaken;
  const field = fieldOf(problem);
  const most = TEXT_MAX_CHARS[field];
  if (most !== undefined) return linkErrorTexts.titleError(most);
  if (field === "tags")
    return message.includes(" again") ? linkErrorTexts.tagTwice : linkErrorTexts.tagsError(TAG_MAX_CHARS);
  if (field === "password") return passwordTexts.error(LINK_PASSWORD_MIN_CHARS, LINK_PASSWORD_MAX_CHARS);
  return field === "slug" ? linkErrorTexts.slug(withoutPath) : ruleMessage(withoutPath);
}

const TEXT_MAX_CHARS: Partial<Record<string, number>> = {
  title: TITLE_MAX_CHARS,
  "social.title": SOCIAL_TITLE_MAX_CHARS,
  "social.description": SOCIAL_DESCRIPTION_MAX_CHARS,
};

const OTHER_CHARACTERS =
  /[^\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d\u{e0020}-\u{e007f}\-_.~/]/gu;

/**
 * A slug without characters that slugs cannot have: spaces become hyphens, and of a URL the path is left.
 * @param isComplete  false while it is typed: it may still end with a punctuation mark
 */
export function cleanSlug(typed: string, isComplete = false): string {
  const text = /^\s*https?:\/\//i.test(typed) ? pathOf(typed) : typed;
  const slug = text
    .trimStart()
    .replace(/\s+/gu, "-")
    .replace(OTHER_CHARACTERS, "")
    .replace(/(^|\/)[-._~/]+/g, "$1");
  return isComplete ? slug.replace(/[-._~]+(?=\/)|[-._~/]+$/g, "") : slug;
}

function pathOf(url: string): string {
  const path = URL.parse(url.trim())?.pathname.slice(1) ?? "";
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** In the order in which they are proposed. */
export function otherSlugs(taken: string, year: number): string[] {
  return ["2", "3", String(year), "4", "5"].map((end) => {
    return `${[...taken].slice(0, SLUG_MAX_CHARS - end.length - 1).join("")}-${end}`;
  });
}
