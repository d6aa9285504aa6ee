import { CLASS_LETTERS } from "./click-batch.ts";
import type { ClickField, NewClick } from "./facts.ts";

/**
 * A click's text in each column of a batch, each by a function of its own: V8 takes long to find a member by a name that
 * varies.
 */
export const CLICK_TEXTS: Readonly<Record<ClickField, (click: NewClick) => string>> = {
  class: ({ visit }) => CLASS_LETTERS[visit.class],
  country: ({ visit }) => visit.country ?? "",
  continent: ({ visit }) => visit.continent ?? "",
  region: ({ visit }) => visit.region ?? "",
  city: ({ visit }) => visit.city ?? "",
  device: ({ visit }) => visit.device ?? "",
  os: ({ visit }) => visit.os ?? "",
  browser: ({ visit }) => visit.browser ?? "",
  language: ({ visit }) => visit.language ?? "",
  referrer: ({ visit }) => visit.referrer ?? "",
  utm_source: ({ visit }) => visit.utm_source ?? "",
  utm_medium: ({ visit }) => visit.utm_medium ?? "",
  utm_campaign: ({ visit }) => visit.utm_campaign ?? "",
  utm_term: ({ visit }) => visit.utm_term ?? "",
  utm_content: ({ visit }) => visit.utm_content ?? "",
  rule: ({ rule }) => rule ?? "",
  qr: ({ qr }) => qr ?? "",
  query: ({ query }) => query,
};
