// Written by `npm run build`: schemas, and the queries of operations.

export type CreateLink = {
  /** http or https, at most 8192 bytes when percent-encoded, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent. */
  url: string;
  /** Path of the short URL, unique on its domain: without regard to case, unless the domain is `case_sensitive`. Never issued twice, also not after a deletion. */
  slug?: string;
  /** One of your active domains; the service's own when omitted. */
  domain?: string;
  /** In the future. From this instant on visitors get 410, or go to `fallback_url`. */
  expires_at?: string | null;
  /** Rules in order; the first that matches wins. Needs the Premium plan unless empty. */
  routing?: RoutingRuleInput[];
  /** A name for people, shown in lists. Visitors never see it. */
  title?: string | null;
  /** At most 20, each once: case does not matter. Returned as typed, in this order. */
  tags?: string[] | null;
  /** Before `expires_at`. Until then visitors get 404, or go to `fallback_url`. */
  starts_at?: string | null;
  /** Where visitors go who come before `starts_at` or after `expires_at`; not those of a deleted or disabled link. They are not counted. Validated as `url` is. */
  fallback_url?: string | null;
  /** Whether the query parameters of a visit are added to its destination. One that stands there already is never replaced; `qr` is not passed on. */
  forward_query?: boolean | null;
};

/** Where visitors go who meet the conditions. */
export type RoutingRuleInput = {
  if: ConditionInput;
  /** http or https, at most 8192 bytes when percent-encoded, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent. */
  to: string;
};

/** All conditions must hold. A value may be one or a list of which any may match. An unknown fact meets no condition. */
export type ConditionInput = {
  /** From this instant on (RFC 3339). */
  after?: string;
  /** Until just before this instant (RFC 3339). */
  before?: string;
  /** Browser, as client hints or the User-Agent tell. */
  browser?: "chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other" | ("chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other")[];
  /** City as the edge locates the visitor, in English; case and the encoding of accents do not matter. */
  city?: string | string[];
  /** Continent. */
  continent?: "AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA" | ("AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA")[];
  /** ISO 3166-1 alpha-2 in any case; also `XX` (unknown) and `T1` (Tor). */
  country?: string | string[];
  /** Class of device. */
  device?: "mobile" | "tablet" | "desktop" | "other" | ("mobile" | "tablet" | "desktop" | "other")[];
  /** BCP 47 tag or prefix (`de` covers `de-CH`), tested against the language the visitor likes best. */
  language?: string | string[];
  /** Operating system. */
  os?: "ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other" | ("ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other")[];
  /** Share of visitors from 0 to 100. Visitors keep their place, so 30 and then 60 sends thirty per cent to each. */
  percent?: number;
  /** Query parameters of the visit: each name must be there, with this value (one of these values), or with any when `true`. */
  query?: { [name: string]: true | string | string[] };
  /** Host of the page the visitor comes from, or any of its sub-hosts; an Android app as `app:<package>`. */
  referrer?: string | string[];
  /** ISO 3166-2 subdivision such as `US-TX`, in any case. */
  region?: string | string[];
  /** `qr` when one of the link's QR codes was scanned, else `link`. */
  source?: "link" | "qr" | ("link" | "qr")[];
  /** Local wall time in `tz`: on `days`, from `from` until just before `to` (HH:MM). A window over midnight belongs to the day it began. */
  time?: {
    tz: string;
    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    from?: string;
    to?: string;
  };
  /** `utm_campaign` of the visit's query, in any case. */
  utm_campaign?: string | string[];
  /** `utm_content` of the visit's query, in any case. */
  utm_content?: string | string[];
  /** `utm_medium` of the visit's query, in any case. */
  utm_medium?: string | string[];
  /** `utm_source` of the visit's query, in any case. */
  utm_source?: string | string[];
  /** `utm_term` of the visit's query, in any case. */
  utm_term?: string | string[];
  /** Holds when not all of these conditions hold. May not hold another `not`. */
  not?: PlainConditionInput;
};

/** The same as a `Condition`, without `not`. */
export type PlainConditionInput = {
  /** From this instant on (RFC 3339). */
  after?: string;
  /** Until just before this instant (RFC 3339). */
  before?: string;
  /** Browser, as client hints or the User-Agent tell. */
  browser?: "chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other" | ("chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other")[];
  /** City as the edge locates the visitor, in English; case and the encoding of accents do not matter. */
  city?: string | string[];
  /** Continent. */
  continent?: "AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA" | ("AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA")[];
  /** ISO 3166-1 alpha-2 in any case; also `XX` (unknown) and `T1` (Tor). */
  country?: string | string[];
  /** Class of device. */
  device?: "mobile" | "tablet" | "desktop" | "other" | ("mobile" | "tablet" | "desktop" | "other")[];
  /** BCP 47 tag or prefix (`de` covers `de-CH`), tested against the language the visitor likes best. */
  language?: string | string[];
  /** Operating system. */
  os?: "ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other" | ("ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other")[];
  /** Share of visitors from 0 to 100. Visitors keep their place, so 30 and then 60 sends thirty per cent to each. */
  percent?: number;
  /** Query parameters of the visit: each name must be there, with this value (one of these values), or with any when `true`. */
  query?: { [name: string]: true | string | string[] };
  /** Host of the page the visitor comes from, or any of its sub-hosts; an Android app as `app:<package>`. */
  referrer?: string | string[];
  /** ISO 3166-2 subdivision such as `US-TX`, in any case. */
  region?: string | string[];
  /** `qr` when one of the link's QR codes was scanned, else `link`. */
  source?: "link" | "qr" | ("link" | "qr")[];
  /** Local wall time in `tz`: on `days`, from `from` until just before `to` (HH:MM). A window over midnight belongs to the day it began. */
  time?: {
    tz: string;
    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    from?: string;
    to?: string;
  };
  /** `utm_campaign` of the visit's query, in any case. */
  utm_campaign?: string | string[];
  /** `utm_content` of the visit's query, in any case. */
  utm_content?: string | string[];
  /** `utm_medium` of the visit's query, in any case. */
  utm_medium?: string | string[];
  /** `utm_source` of the visit's query, in any case. */
  utm_source?: string | string[];
  /** `utm_term` of the visit's query, in any case. */
  utm_term?: string | string[];
};

/** A short URL and where it leads. */
export type Link = {
  /** Id of the link. */
  id: string;
  /** Path of the short URL, as it was typed or made up. */
  slug: string;
  /** Host name of the short domain. */
  domain: string;
  /** What visitors open, made of domain and slug; with `/t/` between them for a test link whose domain is that of live links. */
  short_url: string;
  /** Destination when no rule matches. */
  url: string;
  /** Rules in order; the first that matches wins. */
  routing: RoutingRule[];
  /** From this instant on visitors get 410, or go to `fallback_url`. Null: never. */
  expires_at: string | null;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** Grows with every change. */
  updated_at: string;
  /** Left out when there is none. */
  title?: string;
  /** As typed, in the order given. Left out when there are none. */
  tags?: string[];
  /** Left out when the link is open from its creation on. */
  starts_at?: string;
  /** Left out when there is none. */
  fallback_url?: string;
  /** Left out when it is false. */
  forward_query?: true;
  /** Present once the domain has passed to another account: visitors get 410 for good, also when it is yours again. */
  domain_transferred?: true;
  /** Clicks by people, ever: in lists with `include=clicks`. */
  clicks?: number;
  /** The number in the link's `ETag`, as a bulk request takes it: in lists with `include=revision`. */
  revision?: number;
};

/** Where visitors go who meet the conditions. */
export type RoutingRule = {
  if: Condition;
  /** http or https, at most 8192 bytes when percent-encoded, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent. */
  to: string;
};

/** All conditions must hold. A value may be one or a list of which any may match. An unknown fact meets no condition. */
export type Condition = {
  /** From this instant on (RFC 3339). */
  after?: string;
  /** Until just before this instant (RFC 3339). */
  before?: string;
  /** Browser, as client hints or the User-Agent tell. */
  browser?: "chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other" | ("chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other")[];
  /** City as the edge locates the visitor, in English; case and the encoding of accents do not matter. */
  city?: string | string[];
  /** Continent. */
  continent?: "AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA" | ("AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA")[];
  /** ISO 3166-1 alpha-2 in any case; also `XX` (unknown) and `T1` (Tor). */
  country?: string | string[];
  /** Class of device. */
  device?: "mobile" | "tablet" | "desktop" | "other" | ("mobile" | "tablet" | "desktop" | "other")[];
  /** BCP 47 tag or prefix (`de` covers `de-CH`), tested against the language the visitor likes best. */
  language?: string | string[];
  /** Operating system. */
  os?: "ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other" | ("ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other")[];
  /** Share of visitors from 0 to 100. Visitors keep their place, so 30 and then 60 sends thirty per cent to each. */
  percent?: number;
  /** Query parameters of the visit: each name must be there, with this value (one of these values), or with any when `true`. */
  query?: { [name: string]: true | string | string[] };
  /** Host of the page the visitor comes from, or any of its sub-hosts; an Android app as `app:<package>`. */
  referrer?: string | string[];
  /** ISO 3166-2 subdivision such as `US-TX`, in any case. */
  region?: string | string[];
  /** `qr` when one of the link's QR codes was scanned, else `link`. */
  source?: "link" | "qr" | ("link" | "qr")[];
  /** Local wall time in `tz`: on `days`, from `from` until just before `to` (HH:MM). A window over midnight belongs to the day it began. */
  time?: {
    tz: string;
    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    from?: string;
    to?: string;
  };
  /** `utm_campaign` of the visit's query, in any case. */
  utm_campaign?: string | string[];
  /** `utm_content` of the visit's query, in any case. */
  utm_content?: string | string[];
  /** `utm_medium` of the visit's query, in any case. */
  utm_medium?: string | string[];
  /** `utm_source` of the visit's query, in any case. */
  utm_source?: string | string[];
  /** `utm_term` of the visit's query, in any case. */
  utm_term?: string | string[];
  /** Holds when not all of these conditions hold. May not hold another `not`. */
  not?: PlainCondition;
};

/** The same as a `Condition`, without `not`. */
export type PlainCondition = {
  /** From this instant on (RFC 3339). */
  after?: string;
  /** Until just before this instant (RFC 3339). */
  before?: string;
  /** Browser, as client hints or the User-Agent tell. */
  browser?: "chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other" | ("chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other")[];
  /** City as the edge locates the visitor, in English; case and the encoding of accents do not matter. */
  city?: string | string[];
  /** Continent. */
  continent?: "AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA" | ("AF" | "AN" | "AS" | "EU" | "NA" | "OC" | "SA")[];
  /** ISO 3166-1 alpha-2 in any case; also `XX` (unknown) and `T1` (Tor). */
  country?: string | string[];
  /** Class of device. */
  device?: "mobile" | "tablet" | "desktop" | "other" | ("mobile" | "tablet" | "desktop" | "other")[];
  /** BCP 47 tag or prefix (`de` covers `de-CH`), tested against the language the visitor likes best. */
  language?: string | string[];
  /** Operating system. */
  os?: "ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other" | ("ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other")[];
  /** Share of visitors from 0 to 100. Visitors keep their place, so 30 and then 60 sends thirty per cent to each. */
  percent?: number;
  /** Query parameters of the visit: each name must be there, with this value (one of these values), or with any when `true`. */
  query?: { [name: string]: true | string | string[] };
  /** Host of the page the visitor comes from, or any of its sub-hosts; an Android app as `app:<package>`. */
  referrer?: string | string[];
  /** ISO 3166-2 subdivision such as `US-TX`, in any case. */
  region?: string | string[];
  /** `qr` when one of the link's QR codes was scanned, else `link`. */
  source?: "link" | "qr" | ("link" | "qr")[];
  /** Local wall time in `tz`: on `days`, from `from` until just before `to` (HH:MM). A window over midnight belongs to the day it began. */
  time?: {
    tz: string;
    days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
    from?: string;
    to?: string;
  };
  /** `utm_campaign` of the visit's query, in any case. */
  utm_campaign?: string | string[];
  /** `utm_content` of the visit's query, in any case. */
  utm_content?: string | string[];
  /** `utm_medium` of the visit's query, in any case. */
  utm_medium?: string | string[];
  /** `utm_source` of the visit's query, in any case. */
  utm_source?: string | string[];
  /** `utm_term` of the visit's query, in any case. */
  utm_term?: string | string[];
};

/** The one shape of every error. */
export type Error = {
  error: {
    /** What went wrong, for programs. New codes may be added. */
    code: string;
    /** What was wrong and what is allowed, for people. */
    message: string;
    /** The field, parameter, header or scope at fault. */
    param?: string;
    /** Every problem found. */
    errors?: {
      /** Dotted path of the field, as `routing.2.if.country`. */
      path: string;
      /** What is wrong with it, for programs: `required`, `unknown_field` … */
      code: string;
      /** What is wrong with it, for people. */
      message: string;
    }[];
    /** The same as the header `X-Request-Id`. Quote it when you ask for help. */
    request_id: string;
    /** Where this code is explained. */
    doc_url: string;
  };
};

/** The same error as `application/problem+json` (RFC 9457), where `Accept` prefers it. */
export type Problem = {
  /** The same as `doc_url`: names the kind of problem. */
  type: string;
  /** What the code stands for, the same each time. */
  title: string;
  /** The status of the response. */
  status: number;
  /** What went wrong, for programs. New codes may be added. */
  code: string;
  /** What was wrong and what is allowed, for people. */
  message: string;
  /** The field, parameter, header or scope at fault. */
  param?: string;
  /** Every problem found. */
  errors?: {
    /** Dotted path of the field, as `routing.2.if.country`. */
    path: string;
    /** What is wrong with it, for programs: `required`, `unknown_field` … */
    code: string;
    /** What is wrong with it, for people. */
    message: string;
  }[];
  /** The same as the header `X-Request-Id`. Quote it when you ask for help. */
  request_id: string;
  /** Where this code is explained. */
  doc_url: string;
};

export type BulkCreate = {
  links: CreateLink[];
};

export type BulkResult = {
  /** One for each link sent, in their order. */
  results: ({
    link: Link;
  } | {
    error: ErrorDetail;
  })[];
};

/** Why one link of a bulk request was refused. */
export type ErrorDetail = {
  /** What went wrong, for programs. New codes may be added. */
  code: string;
  /** What was wrong and what is allowed, for people. */
  message: string;
  /** The field, parameter, header or scope at fault. */
  param?: string;
  /** Every problem found. */
  errors?: {
    /** Dotted path of the field, as `routing.2.if.country`. */
    path: string;
    /** What is wrong with it, for programs: `required`, `unknown_field` … */
    code: string;
    /** What is wrong with it, for people. */
    message: string;
  }[];
};

export type BulkUpdate = {
  links: BulkUpdateItem[];
};

/** Fields left out stay as they are. */
export type BulkUpdateItem = {
  /** http or https, at most 8192 bytes when percent-encoded, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent. */
  url?: string;
  /** `null` clears it; an instant in the past ends the link now. */
  expires_at?: string | null;
  /** Rules in order; the first that matches wins. Needs the Premium plan unless empty. */
  routing?: RoutingRuleInput[];
  /** A name for people, shown in lists. Visitors never see it. */
  title?: string | null;
  /** At most 20, each once: case does not matter. Returned as typed, in this order. */
  tags?: string[] | null;
  /** Before `expires_at`. Until then visitors get 404, or go to `fallback_url`. */
  starts_at?: string | null;
  /** Where visitors go who come before `starts_at` or after `expires_at`; not those of a deleted or disabled link. They are not counted. Validated as `url` is. */
  fallback_url?: string | null;
  /** Whether the query parameters of a visit are added to its destination. One that stands there already is never replaced; `qr` is not passed on. */
  forward_query?: boolean | null;
  /** Id of the link. */
  id: string;
  /** The number in the `ETag` that the link must still have, as with `If-Match`. */
  revision?: number;
};

export type BulkDelete = {
  links: BulkDeleteItem[];
  /** Whether the clicks of these links are erased too. */
  erase?: boolean;
};

export type BulkDeleteItem = {
  /** Id of the link. */
  id: string;
  /** The number in the `ETag` that the link must still have, as with `If-Match`. */
  revision?: number;
};

export type BulkDeleteResult = {
  /** One for each link sent, in their order. */
  results: ({
    /** Id of the link. */
    id: string;
    deleted: true;
  } | {
    error: ErrorDetail;
  })[];
};

export type LinkPage = {
  /** May be shorter than `limit`, or empty, also when more follow. */
  data: Link[];
  /** Whether there is another page, which may turn out to be empty. */
  has_more: boolean;
  /** `cursor` of the next request; null on the last page. */
  next_cursor: string | null;
};

/** Fields left out stay as they are. Slug and domain never change: printed QR codes must keep working. */
export type UpdateLink = {
  /** http or https, at most 8192 bytes when percent-encoded, no user name or password, not one of this service's own short domains. Stored and returned exactly as sent. */
  url?: string;
  /** `null` clears it; an instant in the past ends the link now. */
  expires_at?: string | null;
  /** Rules in order; the first that matches wins. Needs the Premium plan unless empty. */
  routing?: RoutingRuleInput[];
  /** A name for people, shown in lists. Visitors never see it. */
  title?: string | null;
  /** At most 20, each once: case does not matter. Returned as typed, in this order. */
  tags?: string[] | null;
  /** Before `expires_at`. Until then visitors get 404, or go to `fallback_url`. */
  starts_at?: string | null;
  /** Where visitors go who come before `starts_at` or after `expires_at`; not those of a deleted or disabled link. They are not counted. Validated as `url` is. */
  fallback_url?: string | null;
  /** Whether the query parameters of a visit are added to its destination. One that stands there already is never replaced; `qr` is not passed on. */
  forward_query?: boolean | null;
};

export type LinkRevisionPage = {
  data: LinkRevision[];
  has_more: boolean;
  /** `cursor` of the next request; null on the last page. */
  next_cursor: string | null;
  /** Whether the history goes back to the creation of the link. False: only the last 1,000 changes are kept, fewer of very long ones. */
  complete: boolean;
};

export type LinkRevision = {
  /** The last number under which the link was so. A change that changed nothing has no entry of its own: its number is one of the next entry. */
  revision: number;
  /** Since when the link was so. */
  changed_at: string;
  /** Null where it is not known. */
  changed_by: {
    /** An API key; somebody signed in to the dashboard; who runs the service; the account that the link's domain has passed to. */
    type: "key" | "dashboard" | "operator" | "domain_holder";
    /** Of the API key, also when it has been revoked since. Left out for the others. */
    key_id?: string;
  } | null;
  /** What is different from the revision before; empty for the creation of the link, null where the one before is no longer kept. */
  changed: ("url" | "routing" | "expires_at" | "title" | "tags" | "starts_at" | "fallback_url" | "forward_query" | "disabled")[] | null;
  /** Destination when no rule matches. */
  url: string;
  /** Rules in order; the first that matches wins. */
  routing: RoutingRule[];
  /** From this instant on visitors get 410, or go to `fallback_url`. Null: never. */
  expires_at: string | null;
  /** Left out when there is none. */
  title?: string;
  /** As typed, in the order given. Left out when there are none. */
  tags?: string[];
  /** Left out when the link is open from its creation on. */
  starts_at?: string;
  /** Left out when there is none. */
  fallback_url?: string;
  /** Left out when it is false. */
  forward_query?: true;
  /** Whether the operator had switched the link off, or its domain had passed to another account. Left out when not; restoring does not change it. */
  disabled?: true;
};

export type RestoreRevision = Record<string, never>;

/** Facts of a visit; those left out are unknown. */
export type ResolveLink = {
  /** ISO 3166-1 alpha-2, as `DE`. */
  country?: string;
  /** `AF`, `AN`, `AS`, `EU`, `NA`, `OC` or `SA`. */
  continent?: string;
  /** ISO 3166-2, as `US-TX`. */
  region?: string;
  /** In English, as statistics have it. */
  city?: string;
  device?: "mobile" | "tablet" | "desktop" | "other";
  os?: "ios" | "android" | "windows" | "macos" | "linux" | "chromeos" | "other";
  browser?: "chrome" | "safari" | "firefox" | "edge" | "samsung" | "opera" | "other";
  /** As in `Accept-Language`. */
  language?: string;
  /** A URL as in `Referer`, or a host. */
  referrer?: string;
  /** Parameters behind the short URL, UTM too; at most 200. */
  query?: { [name: string]: string | string[] };
  /** `qr` for who scans a QR code. */
  source?: "link" | "qr";
  /** Place on the scale of `percent`: at least 0 and below 100. */
  point?: number;
  /** When the visit happens; now when omitted. */
  at?: string;
  /** Rules to try instead of those that the link has, on every plan. They are validated as in a change of the link, and not stored. */
  routing?: RoutingRuleInput[];
};

export type Resolution = {
  /** Where the visitor would go: `fallback_url` when the link would be expired or not open yet, null when it has none. */
  url: string | null;
  /** Canonical text of the rule that matched, or `default`. */
  rule: string | null;
  trace: ({
    rule: string;
    matched: boolean;
    /** The first key that did not hold. */
    failed_on: string | null;
  })[];
  /** The link would be expired. */
  expired?: true;
  /** The link would not be open yet. */
  not_open?: true;
};

export type BacktestLink = {
  /** Where visitors go who match none of these rules; the link's `url` when omitted. */
  url?: string;
  /** The rules to try, on every plan. They are validated as in a change of the link, and not stored. */
  routing: RoutingRuleInput[];
  /** First instant of the clicks; 30 days before `to` when omitted. */
  from?: string;
  /** First instant that is not part of them; now when omitted. */
  to?: string;
  /** Adds declared bots and prefetches to people. */
  include_bots?: boolean;
};

export type Backtest = {
  /** Clicks in the range: the sum of all `before`. */
  clicks: number;
  /** Clicks that would have gone to another destination. */
  moved: number;
  /** Clicks of which the log does not tell the rule: they are in no `after`, and not `moved`. */
  undecided: number;
  /** The rules that were sent, in their order; `default`; then others that decided, most clicks first. Of these, 1,000 at most, the rest as `other`. */
  rules: {
    /** Canonical text, as statistics have it, or `default`. */
    rule: string;
    /** Clicks that it decided. */
    before: number;
    /** Clicks that it would have decided. */
    after: number;
  }[];
  /** Up to 20 of the moved clicks, spread over the range. */
  samples: {
    /** Number of the click in the log. */
    seq: number;
    /** Where it went. */
    before: string;
    /** Where it would have gone. */
    after: string;
  }[];
  /** ISO 8601, UTC, with milliseconds. */
  from: string;
  /** ISO 8601, UTC, with milliseconds. */
  to: string;
};

export type Stats = {
  total: number;
  /** With `include=uniques`: visitors among these clicks, each counted once a UTC day. */
  unique_visitors?: number;
  group_by: string;
  /** By clicks, most first, then by key. After 1,000 the rest is added up as `other`. */
  buckets: {
    key: string;
    clicks: number;
    /** With `include=uniques`: visitors among these clicks, each counted once a UTC day. */
    unique_visitors?: number;
  }[];
  interval: string | null;
  /** One for each interval of the range, zeros included. `start` is where the interval begins by the calendar. */
  series: {
    /** ISO 8601, UTC, with milliseconds. */
    start: string;
    clicks: number;
    /** With `include=uniques`: visitors among these clicks, each counted once a UTC day. */
    unique_visitors?: number;
  }[];
  /** ISO 8601, UTC, with milliseconds. */
  from: string;
  /** ISO 8601, UTC, with milliseconds. */
  to: string;
};

export type ClickPage = {
  data: Click[];
  has_more: boolean;
  /** `after` of the next request, also when this page is empty. */
  next_after: number;
};

/** One visit, with the same words as the keys of the statistics. */
export type Click = {
  /** 1, 2, 3 … for each link, without gaps. */
  seq: number;
  /** ISO 8601, UTC, with milliseconds. */
  occurred_at: string;
  class: "human" | "bot" | "prefetch";
  /** Number of the link's revision whose rules chose the destination. */
  revision: number;
  country: string;
  continent: string;
  region: string;
  city: string;
  device: string;
  os: string;
  browser: string;
  language: string;
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_term: string;
  utm_content: string;
  rule: string;
  destination: string;
  source: string;
  qr_id: string | null;
};

export type AccountStats = {
  total: number;
  /** With `include=uniques`: visitors among these clicks, each counted once a UTC day. */
  unique_visitors?: number;
  group_by: string;
  /** By clicks, most first, then by key. After 1,000 the rest is added up as `other`. */
  buckets: {
    key: string;
    clicks: number;
    /** With `include=uniques`: visitors among these clicks, each counted once a UTC day. */
    unique_visitors?: number;
  }[];
  interval: string | null;
  /** One for each interval of the range, zeros included. `start` is where the interval begins by the calendar. */
  series: {
    /** ISO 8601, UTC, with milliseconds. */
    start: string;
    clicks: number;
    /** With `include=uniques`: visitors among these clicks, each counted once a UTC day. */
    unique_visitors?: number;
  }[];
  /** ISO 8601, UTC, with milliseconds. */
  from: string;
  /** ISO 8601, UTC, with milliseconds. */
  to: string;
  /** Every click of every link before this instant is counted. `to` is never later. */
  as_of: string;
  /** While the clicks of the past are read for the first time: how much of them is, from 0 to 1. */
  progress?: number;
};

export type AccountClickPage = {
  data: AccountClick[];
  has_more: boolean;
  /** `after` of the next request, also when this page is empty; null while there is no click at all. */
  next_after: string | null;
  /** Clicks of all links before this instant are in the pages. */
  as_of: string;
};

/** A click of any link of the account. */
export type AccountClick = {
  link_id: string;
  domain: string;
  /** 1, 2, 3 … for each link, without gaps. */
  seq: number;
  /** ISO 8601, UTC, with milliseconds. */
  occurred_at: string;
  class: "human" | "bot" | "prefetch";
  /** Number of the link's revision whose rules chose the destination. */
  revision: number;
  country: string;
  continent: string;
  region: string;
  city: string;
  device: string;
  os: string;
  browser: string;
  language: string;
  referrer: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_term: string;
  utm_content: string;
  rule: string;
  destination: string;
  source: string;
  qr_id: string | null;
};

export type TagPage = {
  data: Tag[];
  has_more: boolean;
  /** `cursor` of the next request; null on the last page. */
  next_cursor: string | null;
};

/** A word that links are found by. */
export type Tag = {
  /** As it was typed last: case does not matter. */
  tag: string;
  /** Links of this mode with the tag. Deleted ones have none. */
  links: number;
};

export type CreateQrCode = {
  /** Id of the link. */
  link_id: string;
  /** The kind of image. `png` when omitted. */
  format?: "png" | "svg";
  /** Width and height in pixels. `512` when omitted. */
  size?: number;
  /** Colour of the dark modules. `#000000` when omitted. */
  fg?: string;
  /** Colour behind them. The contrast must be at least 4.5:1. `#FFFFFF` when omitted. */
  bg?: string;
  /** Least margin in modules. Codes with less than 4 need a margin where they are printed. `4` when omitted. */
  margin?: number;
  /** How much of the code may be damaged: about 7, 15, 25 or 30 percent. `M` when omitted. */
  ecc?: "L" | "M" | "Q" | "H";
  /** A data URI with a PNG, a JPEG or an SVG of plain shapes, at most 64 KiB. It is drawn in the middle, and `ecc` is `H`. */
  logo?: string;
};

/** An image that leads to a link. Scans of each code are counted for themselves. */
export type QrCode = {
  /** Id of the code. */
  id: string;
  /** Id of the link. */
  link_id: string;
  format: "png" | "svg";
  /** Width and height in pixels. */
  size: number;
  /** Colour of the dark modules, in upper case. */
  fg: string;
  /** Colour behind them, in upper case. */
  bg: string;
  /** Where the image is. It never changes and is never taken away. */
  url: string;
  /** How often people scanned this code. */
  scans: number;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
};

export type QrCodePage = {
  /** May be shorter than `limit`, or empty, also when more follow. */
  data: QrCode[];
  has_more: boolean;
  /** `cursor` of the next request; null on the last page. */
  next_cursor: string | null;
};

/** The `data` of each `click` event, as one line of JSON. The words are the keys of the statistics: events added up are the buckets. */
export type ClickEvent = {
  /** Names this click for ever, also when it is sent again. */
  id: string;
  type: "click";
  /** ISO 8601, UTC, with milliseconds. */
  occurred_at: string;
  /** Id of the link. */
  link_id: string;
  slug: string;
  domain: string;
  short_url: string;
  /** Where this visitor was sent. */
  destination: string;
  /** Canonical text of the rule that matched, or `default`. */
  rule: string;
  country: string;
  device: string;
  referrer: string;
  /** `qr` when a QR code of the link was scanned, else `link`. */
  source: string;
  /** The code that was scanned. */
  qr_id: string | null;
};

export type CreateDomain = {
  /** A host name that is yours, such as `go.example.com`. International names may be sent in Unicode; they come back as A-labels. */
  domain: string;
  /** Whether new slugs on the domain are matched exactly, so that `Ab` and `aB` are two links. Can only change before your first link on it. */
  case_sensitive?: boolean;
};

/** A short domain of your own. */
export type Domain = {
  /** Id of the domain. */
  id: string;
  /** The host name, as A-labels in lower case. */
  domain: string;
  /** `pending` until every record was right once, then `active`, and `misconfigured` while one is wrong. Only active domains take new links. */
  status: "pending" | "active" | "misconfigured";
  /** Everything that the domain needs, with what the last check found. */
  records: ({
    /** What to set in DNS; the certificate is the service's own work and only shown. */
    type: "CNAME" | "TXT" | "CERTIFICATE";
    name: string;
    /** What the record must say; null where there is nothing to set. */
    value: string | null;
    /** `missing` and `failed` are faults; `unknown` could not be asked just now and changes nothing. */
    status: "pending" | "active" | "missing" | "failed" | "unknown";
    /** What was found, for people. */
    reason: string | null;
  })[];
  /** Where visitors of the bare domain go. */
  root_url: string | null;
  /** Where visitors go whose slug does not exist. */
  not_found_url: string | null;
  /** When the records were last checked; null: not yet. */
  checked_at: string | null;
  /** ISO 8601, UTC, with milliseconds. */
  created_at: string;
  /** Present where slugs are matched exactly; else they are matched in any case. */
  case_sensitive?: true;
};

export type DomainPage = {
  data: Domain[];
  has_more: boolean;
  /** `cursor` of the next request; null on the last page. */
  next_cursor: string | null;
};

/** Fields left out stay as they are. Every isolate serves the change within ten seconds. */
export type UpdateDomain = {
  /** Where visitors of the bare domain go; `null` gives them a 404 page. */
  root_url?: string | null;
  /** Where visitors go whose slug does not exist; `null` gives them a 404 page. */
  not_found_url?: string | null;
  /** Whether new slugs on the domain are matched exactly, so that `Ab` and `aB` are two links. Can only change before your first link on it. */
  case_sensitive?: boolean;
};

/** Who is asking. */
export type Me = {
  account: {
    /** Id of the account. */
    id: string;
    /** ISO 8601, UTC, with milliseconds. */
    created_at: string;
  };
  plan: "free" | "premium";
  /** Of the key. */
  mode: "live" | "test";
  /** What the key may do. */
  scopes: string[];
  /** The key of this request, never its secret. Null for a session of the dashboard. */
  key: {
    /** The eight characters of the key that tell keys apart. */
    id: string;
    name: string;
    /** How the key ends before its checksum. */
    last_four: string;
    /** ISO 8601, UTC, with milliseconds. */
    created_at: string;
    /** When the key was first sent over plain HTTP, otherwise null. Replace a key that has this time. */
    exposed_at: string | null;
  } | null;
  /** The short domain of links that name none. */
  default_domain: string;
  /** What the plan allows, and how much of it the account uses. */
  limits: {
    /** Links of both modes that are not deleted. */
    links: Quota;
    /** Links ever created: deleted ones hold their slugs. */
    links_created: Quota;
    /** Keys of this mode that are not revoked. */
    keys: Quota;
    /** Domains of this mode. */
    domains: Quota;
    /** QR codes of both modes. */
    qr_codes: Quota;
    /** Bytes of their images. */
    qr_image_bytes: Quota;
    /** Bytes of answers kept for `Idempotency-Key` on this UTC day. */
    idempotency_bytes: Quota;
    requests_per_minute: RateLimit;
    /** Requests that make QR codes. */
    qr_requests_per_minute: RateLimit;
    /** Links in bulk requests in this minute, by all keys. */
    bulk_links_per_minute: Quota;
    /** Links in bulk requests on this UTC day, by all keys. */
    bulk_links_per_day: Quota;
    /** Streams that may be open at once. */
    streams: RateLimit;
  };
};

export type Quota = {
  max: number;
  used: number;
};

export type RateLimit = {
  /** Of this key. */
  max: number;
  /** Of all keys of the account together. */
  account_max: number;
};

export type ErrorCode = "invalid_json" | "missing_api_key" | "invalid_api_key" | "invalid_operator_token" | "missing_session" | "https_required" | "invalid_origin" | "invalid_password" | "invalid_setup_token" | "plan_upgrade_required" | "insufficient_scope" | "account_suspended" | "not_found" | "link_not_found" | "qr_not_found" | "domain_not_found" | "key_not_found" | "method_not_allowed" | "slug_taken" | "domain_taken" | "domain_transferred" | "domain_has_links" | "domain_in_use" | "already_set_up" | "idempotency_conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "contrast_too_low" | "link_not_api_created" | "size_too_small" | "quota_exceeded" | "too_many_intervals" | "range_too_large" | "rate_limited" | "too_many_streams" | "too_many_exports" | "too_many_reads" | "internal_error" | "misconfigured" | "not_migrated" | "unavailable";

export interface Queries {
  createLink: Record<string, never>;
  listLinks: {
    /** Most links on the page. */
    limit?: number;
    /** `next_cursor` of the page before. */
    cursor?: string;
    /** Part of the slug or the url, in any case. */
    search?: string;
    /** Only links on this short domain. */
    domain?: string;
    /** Only links with this tag, in any case. May be repeated: all of them must be there. */
    tag?: string[];
    /** The link with this slug, in any case unless its domain is `case_sensitive`; with several domains, one on each of them. */
    slug?: string;
    /** The link that this short URL belongs to, with or without `https://`. */
    short_url?: string;
    /** Only links that were created at this instant or later. */
    created_after?: string;
    /** Only links that were created before this instant. */
    created_before?: string;
    /** Only links that have expired, or only those that have not. */
    status?: "active" | "expired";
    /** Adds `clicks` (`stats:read`), or `revision`, to each link. With `clicks` pages may be shorter. */
    include?: "clicks" | "revision";
    /** Oldest first, or with `-` newest first. `-clicks`: most clicked by people first, ever, as counted at most a minute before the first page; not together with `slug` or `short_url`. */
    sort?: "created_at" | "-created_at" | "-clicks";
  };
  createLinks: Record<string, never>;
  updateLinks: Record<string, never>;
  deleteLinks: Record<string, never>;
  getLink: Record<string, never>;
  updateLink: Record<string, never>;
  deleteLink: {
    /** Whether the link's clicks are erased too. */
    erase?: "true" | "false";
  };
  listLinkRevisions: {
    /** Most revisions on the page. */
    limit?: number;
    /** `next_cursor` of the page before. */
    cursor?: string;
  };
  restoreLinkRevision: Record<string, never>;
  resolveLink: Record<string, never>;
  backtestLink: Record<string, never>;
  getLinkStats: {
    /** What the buckets stand for. */
    group_by?: "country" | "device" | "referrer" | "rule" | "continent" | "region" | "city" | "os" | "browser" | "language" | "destination" | "revision" | "source" | "qr" | "utm_source" | "utm_medium" | "utm_campaign" | "utm_term" | "utm_content";
    /** First instant counted; the link's `created_at` when omitted. */
    from?: string;
    /** First instant not counted; now when omitted. */
    to?: string;
    /** Asks for a series. Weeks begin on Monday. */
    interval?: "minute" | "hour" | "day" | "week" | "month";
    /** IANA zone of the series' bins. */
    timezone?: string;
    /** Adds declared bots and prefetches to people. */
    include_bots?: "true" | "false";
    /** Adds `unique_visitors` to the response, its buckets and its series. */
    include?: "uniques";
    /** Only clicks with this key of the grouping `country`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    country?: string;
    /** Only clicks with this key of the grouping `device`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    device?: string;
    /** Only clicks with this key of the grouping `referrer`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    referrer?: string;
    /** Only clicks with this key of the grouping `rule`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    rule?: string;
    /** Only clicks with this key of the grouping `continent`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    continent?: string;
    /** Only clicks with this key of the grouping `region`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    region?: string;
    /** Only clicks with this key of the grouping `city`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    city?: string;
    /** Only clicks with this key of the grouping `os`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    os?: string;
    /** Only clicks with this key of the grouping `browser`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    browser?: string;
    /** Only clicks with this key of the grouping `language`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    language?: string;
    /** Only clicks with this key of the grouping `destination`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    destination?: string;
    /** Only clicks with this key of the grouping `revision`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    revision?: string;
    /** Only clicks with this key of the grouping `source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    source?: string;
    /** Only clicks with this key of the grouping `qr`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    qr?: string;
    /** Only clicks with this key of the grouping `utm_source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_source?: string;
    /** Only clicks with this key of the grouping `utm_medium`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_medium?: string;
    /** Only clicks with this key of the grouping `utm_campaign`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_campaign?: string;
    /** Only clicks with this key of the grouping `utm_term`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_term?: string;
    /** Only clicks with this key of the grouping `utm_content`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_content?: string;
  };
  listClicks: {
    /** Sequence number of the last click already seen. */
    after?: number;
    /** Only clicks at this instant or later. */
    from?: string;
    /** Only clicks before this instant. */
    to?: string;
    /** Most clicks on the page. A CSV or NDJSON export has all where this is left out, and takes up to 10,000,000. */
    limit?: number;
    /** Only clicks with this key of the grouping `country`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    country?: string;
    /** Only clicks with this key of the grouping `device`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    device?: string;
    /** Only clicks with this key of the grouping `referrer`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    referrer?: string;
    /** Only clicks with this key of the grouping `rule`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    rule?: string;
    /** Only clicks with this key of the grouping `continent`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    continent?: string;
    /** Only clicks with this key of the grouping `region`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    region?: string;
    /** Only clicks with this key of the grouping `city`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    city?: string;
    /** Only clicks with this key of the grouping `os`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    os?: string;
    /** Only clicks with this key of the grouping `browser`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    browser?: string;
    /** Only clicks with this key of the grouping `language`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    language?: string;
    /** Only clicks with this key of the grouping `destination`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    destination?: string;
    /** Only clicks with this key of the grouping `revision`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    revision?: string;
    /** Only clicks with this key of the grouping `source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    source?: string;
    /** Only clicks with this key of the grouping `qr`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    qr?: string;
    /** Only clicks with this key of the grouping `utm_source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_source?: string;
    /** Only clicks with this key of the grouping `utm_medium`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_medium?: string;
    /** Only clicks with this key of the grouping `utm_campaign`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_campaign?: string;
    /** Only clicks with this key of the grouping `utm_term`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_term?: string;
    /** Only clicks with this key of the grouping `utm_content`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_content?: string;
  };
  getAccountStats: {
    /** What the buckets stand for. */
    group_by?: "country" | "device" | "referrer" | "rule" | "continent" | "region" | "city" | "os" | "browser" | "language" | "destination" | "revision" | "source" | "qr" | "utm_source" | "utm_medium" | "utm_campaign" | "utm_term" | "utm_content" | "link" | "tag" | "domain";
    /** First instant counted; 30 days ago when omitted. */
    from?: string;
    /** First instant not counted; now when omitted. */
    to?: string;
    /** Asks for a series. Weeks begin on Monday. */
    interval?: "minute" | "hour" | "day" | "week" | "month";
    /** IANA zone of the series' bins. */
    timezone?: string;
    /** Adds declared bots and prefetches to people. */
    include_bots?: "true" | "false";
    /** Adds `unique_visitors` to the response, its buckets and its series. */
    include?: "uniques";
    /** Only clicks with this key of the grouping `country`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    country?: string;
    /** Only clicks with this key of the grouping `device`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    device?: string;
    /** Only clicks with this key of the grouping `referrer`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    referrer?: string;
    /** Only clicks with this key of the grouping `rule`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    rule?: string;
    /** Only clicks with this key of the grouping `continent`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    continent?: string;
    /** Only clicks with this key of the grouping `region`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    region?: string;
    /** Only clicks with this key of the grouping `city`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    city?: string;
    /** Only clicks with this key of the grouping `os`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    os?: string;
    /** Only clicks with this key of the grouping `browser`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    browser?: string;
    /** Only clicks with this key of the grouping `language`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    language?: string;
    /** Only clicks with this key of the grouping `destination`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    destination?: string;
    /** Only clicks with this key of the grouping `revision`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    revision?: string;
    /** Only clicks with this key of the grouping `source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    source?: string;
    /** Only clicks with this key of the grouping `qr`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    qr?: string;
    /** Only clicks with this key of the grouping `utm_source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_source?: string;
    /** Only clicks with this key of the grouping `utm_medium`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_medium?: string;
    /** Only clicks with this key of the grouping `utm_campaign`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_campaign?: string;
    /** Only clicks with this key of the grouping `utm_term`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_term?: string;
    /** Only clicks with this key of the grouping `utm_content`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_content?: string;
    /** Only clicks with this key of the grouping `link_id`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    link_id?: string;
    /** Only clicks with this key of the grouping `tag`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    tag?: string;
    /** Only clicks with this key of the grouping `domain`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    domain?: string;
  };
  listAccountClicks: {
    /** The last click already seen: its `occurred_at`, `link_id` and `seq` with commas between, or `next_after`. */
    after?: string;
    /** Only clicks at this instant or later. */
    from?: string;
    /** Only clicks before this instant. */
    to?: string;
    /** Only clicks with this key of the grouping `country`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    country?: string;
    /** Only clicks with this key of the grouping `device`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    device?: string;
    /** Only clicks with this key of the grouping `referrer`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    referrer?: string;
    /** Only clicks with this key of the grouping `rule`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    rule?: string;
    /** Only clicks with this key of the grouping `continent`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    continent?: string;
    /** Only clicks with this key of the grouping `region`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    region?: string;
    /** Only clicks with this key of the grouping `city`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    city?: string;
    /** Only clicks with this key of the grouping `os`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    os?: string;
    /** Only clicks with this key of the grouping `browser`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    browser?: string;
    /** Only clicks with this key of the grouping `language`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    language?: string;
    /** Only clicks with this key of the grouping `destination`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    destination?: string;
    /** Only clicks with this key of the grouping `revision`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    revision?: string;
    /** Only clicks with this key of the grouping `source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    source?: string;
    /** Only clicks with this key of the grouping `qr`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    qr?: string;
    /** Only clicks with this key of the grouping `utm_source`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_source?: string;
    /** Only clicks with this key of the grouping `utm_medium`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_medium?: string;
    /** Only clicks with this key of the grouping `utm_campaign`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_campaign?: string;
    /** Only clicks with this key of the grouping `utm_term`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_term?: string;
    /** Only clicks with this key of the grouping `utm_content`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    utm_content?: string;
    /** Only clicks with this key of the grouping `link_id`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    link_id?: string;
    /** Only clicks with this key of the grouping `tag`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    tag?: string;
    /** Only clicks with this key of the grouping `domain`, or one of several: `a,b`. A comma within a key is written `\,`, a backslash `\\`. */
    domain?: string;
    /** Most clicks on the page. A CSV or NDJSON export has all where this is left out, and takes up to 10,000,000. */
    limit?: number;
  };
  listTags: {
    /** Most tags on the page. */
    limit?: number;
    /** `next_cursor` of the page before. */
    cursor?: string;
    /** Only tags that begin with this, in any case. */
    search?: string;
  };
  createQrCode: Record<string, never>;
  listQrCodes: {
    /** Most codes on the page. */
    limit?: number;
    /** `next_cursor` of the page before. */
    cursor?: string;
    /** Only codes of this link, which may be deleted. */
    link_id?: string;
  };
  getQrCode: Record<string, never>;
  streamEvents: {
    /** Only clicks on this link. All of your links when omitted. */
    link_id?: string;
    /** The `id` of the last event received: the stream goes on after it. `Last-Event-ID` wins. */
    since?: string;
    /** Adds declared bots and prefetches to people. */
    include_bots?: "true" | "false";
  };
  createDomain: Record<string, never>;
  listDomains: {
    /** Most domains on the page. */
    limit?: number;
    /** `next_cursor` of the page before. */
    cursor?: string;
  };
  getDomain: Record<string, never>;
  updateDomain: Record<string, never>;
  deleteDomain: Record<string, never>;
  getMe: Record<string, never>;
}
