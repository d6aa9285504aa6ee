/**
 * The members of a link that requests set, and differences between two states of a link in wire form. Pure, and without
 * schemas and texts: redirects and the dashboard load it.
 */
import type { RoutingRule } from "./routing.ts";

/** What link previews show. At least one member is set. */
export interface SocialCard {
  title?: string | undefined;
  description?: string | undefined;
  image?: string | undefined;
}

/** An address of a link besides its own. In requests, the slug is as typed, and "" is the link's own domain. */
export interface LinkAlias {
  domain: string;
  /** As stored (core/hosts.ts). */
  slug: string;
  /** The slug as typed, if it is not ASCII. */
  typedSlug?: string;
  /** Tenure of the domain's holder who added it (store/domains/domain-holders.ts). */
  tenure: number;
}

/** The value of each kind of member in records of the store. Times are epoch ms. */
export interface KindValues {
  destination: string;
  rules: RoutingRule[];
  time: number | null;
  text: string | null;
  tags: string[];
  url: string | null;
  flag: boolean;
  choice: number | null;
  /** A record from which the value cannot be computed; the value itself between a request and its execution. */
  secret: string | null;
  card: SocialCard | null;
  aliases: LinkAlias[];
}

export type MemberKind = keyof KindValues;

const UNSET_VALUES: Readonly<KindValues> = {
  destination: "",
  rules: [],
  time: null,
  text: null,
  tags: [],
  url: null,
  flag: false,
  choice: null,
  secret: null,
  card: null,
  aliases: [],
};

interface MemberFacts {
  /** Name of the member in records of the store. */
  field: string;
  kind: MemberKind;
  /**
   * What the member changes for visitors. `destination`: where they go, so agents may change it only after a backtest.
   * `redirect`: the response. Redirects do not load other members.
   */
  affects: "destination" | "redirect" | "nothing";
  /** Whether links have the member even if it is not set. */
  isAlwaysPresent?: true;
  /** The numbers of a choice. The first is the default, which is not stored and not shown. */
  choices?: readonly number[];
  /** Name of the flag that Link has instead of a secret. The history neither stores nor changes secrets. */
  shownAs?: string;
}

export const REDIRECT_STATUSES = [302, 301, 307, 308] as const;

/** Each member by its name on the wire, which is also its column, in the order of the wire and of lists of changes. */
const LINK_MEMBERS = {
  url: { field: "url", kind: "destination", affects: "destination", isAlwaysPresent: true },
  routing: { field: "routing", kind: "rules", affects: "destination", isAlwaysPresent: true },
  expires_at: { field: "expiresAt", kind: "time", affects: "destination", isAlwaysPresent: true },
  title: { field: "title", kind: "text", affects: "nothing" },
  tags: { field: "tags", kind: "tags", affects: "nothing" },
  starts_at: { field: "startsAt", kind: "time", affects: "destination" },
  fallback_url: { field: "fallbackUrl", kind: "url", affects: "destination" },
  forward_query: { field: "forwardQuery", kind: "flag", affects: "redirect" },
  forward_path: { field: "forwardPath", kind: "flag", affects: "redirect" },
  noindex: { field: "noindex", kind: "flag", affects: "redirect" },
  redirect_status: { field: "redirectStatus", kind: "choice", affects: "redirect", choices: REDIRECT_STATUSES },
  paused: { field: "paused", kind: "flag", affects: "redirect" },
  archived: { field: "archived", kind: "flag", affects: "nothing" },
  password: { field: "password", kind: "secret", affects: "redirect", shownAs: "password_protected" },
  social: { field: "social", kind: "card", affects: "redirect" },
  aliases: { field: "aliases", kind: "aliases", affects: "redirect" },
} as const satisfies Record<string, MemberFacts>;

/** Filters of lists. `paused` and `scheduled` are subsets of `active`. */
export const LINK_STATUSES = ["active", "paused", "scheduled", "expired"] as const;

export type LinkMember = keyof typeof LINK_MEMBERS;

/** The members with these facts. */
export type MemberWith<Facts> = {
  [Member in LinkMember]: (typeof LINK_MEMBERS)[Member] extends Facts ? Member : never;
}[LinkMember];

export type FlagMember = MemberWith<{ kind: "flag" }>;

type SecretMember = MemberWith<{ kind: "secret" }>;

/** The members as Link shows them. */
export type ShownMember =
  | Exclude<LinkMember, SecretMember>
  | ((typeof LINK_MEMBERS)[SecretMember] extends { shownAs: infer Name } ? Name : never);

/** The members in records of the store. */
export type LinkContent = {
  [Member in LinkMember as (typeof LINK_MEMBERS)[Member]["field"]]: KindValues[(typeof LINK_MEMBERS)[Member]["kind"]];
};

/** The members that the history stores. */
export type RevisedContent = Omit<LinkContent, (typeof LINK_MEMBERS)[SecretMember]["field"]>;

/** Members that redirects need besides those that decide the destination. They are absent if not set. */
export type RedirectContent = Partial<
  Pick<LinkContent, (typeof LINK_MEMBERS)[MemberWith<{ affects: "redirect" }>]["field"]>
>;

export const LINK_MEMBER_NAMES = Object.keys(LINK_MEMBERS) as readonly LinkMember[];

/** The table as a list. */
export const LINK_MEMBER_LIST = Object.entries(LINK_MEMBERS).map(([name, facts]) => ({
  name,
  ...facts,
})) as unknown as readonly (MemberFacts & { name: LinkMember; field: keyof LinkContent })[];

export const SHOWN_MEMBERS = LINK_MEMBER_LIST.map(({ name, shownAs }) => shownAs ?? name) as readonly ShownMember[];

/** The values of members that are not set. */
export const UNSET_CONTENT = Object.fromEntries(
  LINK_MEMBER_LIST.map(({ field, kind }) => [field, UNSET_VALUES[kind]]),
) as unknown as LinkContent;

/** @returns undefined for other names */
export function memberKind(name: string): MemberKind | undefined {
  return LINK_MEMBER_LIST.find((member) => member.name === name)?.kind;
}

export function isFlag(name: string): name is FlagMember {
  return memberKind(name) === "flag";
}

/** Whether a value on the wire means that the member is not set. */
export function isUnset(name: string, value: unknown): boolean {
  const isEmpty = (value ?? false) === false || (typeof value === "object" && Object.keys(Object(value)).length === 0);
  return isEmpty || LINK_MEMBER_LIST.find((member) => member.name === name)?.choices?.[0] === value;
}

export const FLAG_MEMBERS = LINK_MEMBER_NAMES.filter(isFlag);

/** The members of a link that revisions store, in the order in which changes are listed. */
export const REVISION_MEMBERS = [
  ...LINK_MEMBER_NAMES.filter((name): name is Exclude<LinkMember, SecretMember> => memberKind(name) !== "secret"),
  "disabled",
] as const;

export type RevisionMember = (typeof REVISION_MEMBERS)[number];

/** The members whose values differ. An omitted member differs from every value. */
export function changedMembers<Member extends string>(
  members: readonly Member[],
  one: Readonly<Partial<Record<Member, unknown>>>,
  other: Readonly<Partial<Record<Member, unknown>>>,
): Member[] {
  return members.filter((member) => JSON.stringify(one[member]) !== JSON.stringify(other[member]));
}
