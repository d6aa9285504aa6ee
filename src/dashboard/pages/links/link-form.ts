/** Values of the form that creates a link, and the request made of them. Pure. */
import type { CreateLink } from "../../../core/contract/links.ts";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { completeUrl } from "../../formatting/typed-url.ts";
import { createLinkTexts as texts } from "../../texts.ts";

export interface LinkForm {
  url: string;
  slug: string;
  domain: string;
  title: string;
  tags: string[];
  /** As a `datetime-local` input writes it. */
  expires_at: string;
}

export function newLinkForm(url: string): LinkForm {
  return { url, slug: "", domain: "", title: "", tags: [], expires_at: "" };
}

export function toCreateLink({ url, slug, domain, title, tags, expires_at }: LinkForm): CreateLink {
  const expiry = fromDatetimeLocal(expires_at, BROWSER_TIME_ZONE);
  return {
    url: completeUrl(url),
    ...(slug ? { slug } : {}),
    ...(domain ? { domain } : {}),
    ...(title.trim() ? { title: title.trim() } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(expiry ? { expires_at: expiry } : {}),
  };
}

export const LINK_FORM_RULES = {
  url: (value: string) => (value.trim() ? null : texts.needsUrl),
  expires_at: (value: string) =>
    value && fromDatetimeLocal(value, BROWSER_TIME_ZONE) <= new Date().toISOString() ? texts.needsFuture : null,
};
