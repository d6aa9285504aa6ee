/** The form that edits a link: filled from the link, and turned into the changes to send. Pure. */
import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { fromDatetimeLocal, toDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { completeUrl } from "../../formatting/typed-url.ts";
import type { LinkForm } from "../links/link-form.ts";

export type EditLinkValues = Omit<LinkForm, "slug" | "domain">;

export function toEditLinkValues(link: Link): EditLinkValues {
  return {
    url: link.url,
    title: link.title ?? "",
    tags: link.tags ?? [],
    starts_at: toDatetimeLocal(link.starts_at ?? "", BROWSER_TIME_ZONE),
    expires_at: toDatetimeLocal(link.expires_at ?? "", BROWSER_TIME_ZONE),
    fallback_url: link.fallback_url ?? "",
    forward_query: link.forward_query ?? false,
  };
}

/** Only what was edited: inputs of instants have whole seconds, and would cut the stored milliseconds. */
export function toLinkChanges(link: Link, values: EditLinkValues): UpdateLink {
  const before = toEditLinkValues(link);
  const edited = (Object.keys(values) as (keyof EditLinkValues)[]).filter(
    (name) => JSON.stringify(normalized(values)[name]) !== JSON.stringify(before[name]),
  );
  const sent = changesOf(normalized(values));
  return Object.fromEntries(edited.map((name) => [name, sent[name]]));
}

function normalized({ url, title, fallback_url, ...rest }: EditLinkValues): EditLinkValues {
  return { ...rest, url: completeUrl(url), title: title.trim(), fallback_url: completeUrl(fallback_url) };
}

/** What is empty is cleared. */
function changesOf({ url, title, tags, starts_at, expires_at, fallback_url, forward_query }: EditLinkValues) {
  return {
    url,
    title: title || null,
    tags: tags.length > 0 ? tags : null,
    starts_at: fromDatetimeLocal(starts_at, BROWSER_TIME_ZONE) || null,
    expires_at: fromDatetimeLocal(expires_at, BROWSER_TIME_ZONE) || null,
    fallback_url: fallback_url || null,
    forward_query,
  } satisfies Record<keyof EditLinkValues, unknown>;
}
