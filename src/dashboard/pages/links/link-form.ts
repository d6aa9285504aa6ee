/** Values of the form that creates a link, and the request made of them. Pure. */
import type { CreateLink } from "../../../core/contract/links.ts";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { completeUrl } from "../../formatting/typed-url.ts";
import { linkErrorTexts, scheduleTexts, memberTexts } from "../../texts/link-form.ts";

export interface LinkForm {
  url: string;
  slug: string;
  domain: string;
  title: string;
  tags: string[];
  /** Instants as a `datetime-local` input writes them; empty for none. */
  starts_at: string;
  expires_at: string;
  fallback_url: string;
  forward_query: boolean;
}

export function newLinkForm(url: string): LinkForm {
  return {
    url,
    slug: "",
    domain: "",
    title: "",
    tags: [],
    starts_at: "",
    expires_at: "",
    fallback_url: "",
    forward_query: false,
  };
}

export function toCreateLink(values: LinkForm): CreateLink {
  const { url, slug, domain, title, tags, forward_query } = values;
  const starts_at = instantOf(values.starts_at);
  const expires_at = instantOf(values.expires_at);
  const fallback_url = completeUrl(values.fallback_url);
  return {
    url: completeUrl(url),
    ...(slug ? { slug } : {}),
    ...(domain ? { domain } : {}),
    ...(title.trim() ? { title: title.trim() } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(starts_at ? { starts_at } : {}),
    ...(expires_at ? { expires_at } : {}),
    ...(fallback_url ? { fallback_url } : {}),
    ...(forward_query ? { forward_query } : {}),
  };
}

export const LINK_FORM_RULES = {
  url: (value: string) => (value.trim() ? null : memberTexts.needsUrl),
  starts_at: (value: string, { expires_at }: LinkForm) =>
    value && expires_at && instantOf(value) >= instantOf(expires_at) ? linkErrorTexts.opensAfterEnd : null,
  expires_at: (value: string) =>
    value && instantOf(value) <= new Date().toISOString() ? scheduleTexts.needsFuture : null,
};

function instantOf(local: string): string {
  return fromDatetimeLocal(local, BROWSER_TIME_ZONE);
}
