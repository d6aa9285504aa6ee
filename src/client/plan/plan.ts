/** Compares a file with the existing links to find what it would change. Pure. */
import type { CreateLink, Link, UpdateLink } from "../api-types.ts";
import { addressKey } from "../../core/links/case-folding.ts";
import {
  type Address,
  addressOf,
  domainProblem,
  type FileLink,
  hasTag,
  isAsWanted,
  type KnownDomains,
  type Member,
  memberOf,
  MEMBERS,
  wantedMember,
} from "./links-file.ts";
import type { ParsedFile } from "./parse.ts";

/** A link of the account, with the revision to which planned changes apply. */
export type CurrentLink = Link & { revision: number };

/** The current state of the account. */
export interface Situation {
  /** Epoch ms. */
  at: number;
  defaultDomain: string;
  isPremium: boolean;
  /** Null if the key may not read them: the service then reports problems. */
  domains: KnownDomains | null;
  /** The links at the file's addresses, and those with its tag. */
  links: readonly CurrentLink[];
}

export interface Creation {
  address: Address;
  line: number;
  link: CreateLink;
}

export interface MemberChange {
  member: Member;
  before: unknown;
  after: unknown;
  /** What is sent, if it is not shown. */
  secret?: string;
}

export interface Change {
  address: Address;
  line: number;
  current: CurrentLink;
  members: MemberChange[];
  /** The file's tag, if the link lacks it: something else created the link, and from now on `--prune` may delete it. */
  adoptedBy?: string;
  backtest?: BacktestOutcome;
}

/** Results for the clicks of the last days, or the reason why they were not tested. */
export type BacktestOutcome =
  | { clicks: number; moved: number; undecided: number; from: string; to: string }
  | { notTried: string };

interface PlanProblem {
  line: number | null;
  address: Address | null;
  message: string;
}

export interface Plan {
  create: Creation[];
  change: Change[];
  /** Links that have the file's tag but are not in it. */
  missing: CurrentLink[];
  /** Whether the missing links are deleted. */
  prunes: boolean;
  unchanged: number;
  /** Changes that cannot be made. The others can. */
  problems: PlanProblem[];
}

/** @param setsPasswords  also of links that have one */
export function makePlan(
  { file, lines }: ParsedFile,
  situation: Situation,
  prunes: boolean,
  setsPasswords = false,
): Plan {
  const { managed_by: managedBy } = file;
  const plan: Plan = { create: [], change: [], missing: [], prunes, unchanged: 0, problems: [] };
  const caseSensitive = caseSensitiveDomains(situation);
  const keyOf = (address: Address) => addressKey(address, caseSensitive);
  const current = new Map(situation.links.map((link) => [keyOf(link), link]));
  const lineOf = new Map<string, number>();
  for (const [i, link] of file.links.entries()) {
    const address = addressOf(link, file.domain, situation.defaultDomain);
    const [key, line] = [keyOf(address), lines[i] ?? 0];
    const earlier = lineOf.get(key);
    if (earlier !== undefined) {
      plan.problems.push({ line, address, message: `is already on line ${earlier}` });
      continue;
    }
    lineOf.set(key, line);
    place(plan, { link, address, line, managedBy, setsPasswords, there: current.get(key) }, situation);
  }
  plan.missing = situation.links.filter(
    (link) => managedBy !== undefined && hasTag(link.tags, managedBy) && !lineOf.has(keyOf(link)),
  );
  plan.problems.push(...unusableDomains(file.domains ?? [], situation));
  return plan;
}

interface Wanted {
  link: FileLink;
  address: Address;
  line: number;
  managedBy: string | undefined;
  setsPasswords: boolean;
  there: CurrentLink | undefined;
}

function place(plan: Plan, wanted: Wanted, situation: Situation): void {
  const { link, address, line, managedBy, setsPasswords, there } = wanted;
  const members = there ? changesOf(there, link, managedBy, setsPasswords) : [];
  const writesRules = there
    ? members.some(({ member, after }) => member === "routing" && after !== null)
    : memberOf(link, "routing") !== null;
  const message =
    missingPassword(there, link) ??
    (there ? doubtfulCase(there, address, situation) : creationProblem(address, link, situation));
  if (message !== null) plan.problems.push({ line, address, message });
  else if (writesRules && !situation.isPremium) {
    plan.problems.push({ line, address, message: "has rules, which require the Premium plan" });
  } else if (!there) plan.create.push({ address, line, link: newLink(link, address, managedBy) });
  else if (members.length > 0) {
    const adopted = managedBy !== undefined && !hasTag(there.tags, managedBy) && { adoptedBy: managedBy };
    plan.change.push({ address, line, current: there, members, ...adopted });
  } else plan.unchanged++;
}

function changesOf(
  there: CurrentLink,
  link: FileLink,
  managedBy: string | undefined,
  setsPasswords: boolean,
): MemberChange[] {
  const { password } = link;
  const isWritten = (member: Member) => member === "password" && setsPasswords && Boolean(password);
  return MEMBERS.filter((member) => isWritten(member) || !isAsWanted(there, link, member, managedBy)).map((member) => ({
    member,
    before: memberOf(there, member),
    after: wantedMember(link, member, managedBy),
    ...(member === "password" && password && { secret: password }),
  }));
}

/** A link must not be open because the file lacks its password. */
function missingPassword(there: CurrentLink | undefined, { password, password_protected }: FileLink): string | null {
  if (!password_protected || password || there?.password_protected) return null;
  return "has no password: write password in addition to password_protected";
}

function creationProblem(address: Address, { expires_at }: FileLink, { at, ...situation }: Situation): string | null {
  if (expires_at && Date.parse(expires_at) <= at) return "would already be expired: expires_at must be in the future";
  return unusable(address.domain, situation);
}

type OfDomains = Pick<Situation, "defaultDomain" | "domains">;

function unusable(domain: string, { defaultDomain, domains }: OfDomains): string | null {
  return domain === defaultDomain || domains === null ? null : domainProblem(domain, domains);
}

/** If it is unknown which domains are case-sensitive, `Ab` must not change `aB`, which may be another link. */
function doubtfulCase(
  there: CurrentLink,
  { domain, slug }: Address,
  { defaultDomain, domains }: OfDomains,
): string | null {
  if (domains !== null || domain === defaultDomain || there.slug === slug) return null;
  return `may differ from the existing link ${there.slug}: write ${there.slug}, or use a key with the scope domains:read`;
}

function unusableDomains(names: readonly string[], situation: Situation): PlanProblem[] {
  return names.flatMap((name) => {
    const message = unusable(addressOf({ domain: name, slug: "" }, undefined, "").domain, situation);
    return message === null ? [] : [{ line: null, address: null, message: `${name} ${message}` }];
  });
}

export function caseSensitiveDomains({ domains }: Pick<Situation, "domains">): ReadonlySet<string> {
  return new Set([...(domains ?? [])].flatMap(([name, { case_sensitive }]) => (case_sensitive ? [name] : [])));
}

/** Contains only the members that are set: omitting the others creates the same link. */
function newLink(link: FileLink, { domain, slug }: Address, managedBy: string | undefined): CreateLink {
  const set = MEMBERS.map((member): [Member, unknown] => [
    member,
    member === "password" ? (link.password ?? null) : wantedMember(link, member, managedBy),
  ]);
  return { domain, slug, ...Object.fromEntries(set.filter(([, value]) => value !== null)) } as CreateLink;
}

/** The body of the change. A member without a value is cleared. */
export function toUpdateLink({ members }: Change): UpdateLink {
  return Object.fromEntries(
    members.map(({ member, after, secret }) => [member, member === "routing" ? (after ?? []) : (secret ?? after)]),
  ) as UpdateLink;
}

/** Whether past visitors might have been sent elsewhere. */
export function redirects({ members }: Change): boolean {
  return members.some(({ member }) => member === "url" || member === "routing");
}

export function isEmpty({ create, change, missing, prunes }: Plan): boolean {
  return create.length === 0 && change.length === 0 && !(prunes && missing.length > 0);
}
