/**
 * Decides what an import does: the address of each link, which links are refused, and how existing links differ. Pure:
 * the account, its links and the time are arguments.
 */
import type { Plan } from "../account.ts";
import type { Domain } from "../contract/domains.ts";
import { CreateLink, type Link } from "../contract/links.ts";
import type { DomainStatus } from "../domains/domain-verification.ts";
import { addressKey, canonicalSlug } from "../links/case-folding.ts";
import type { TypedAlias } from "../links/link-search.ts";
import { linkAddressProblems, linkProblems } from "../links/link-validation.ts";
import { type ReadLink, type Reason, type RefusedLink, shortened, type SourceAddress } from "./source-link.ts";

export interface ImportOptions {
  /** Target domain of links whose domain is not in `domains`; null: their own, which must be one of the account's. */
  domain: string | null;
  /** Target domains by the file's domains, both in their stored form. */
  domains: ReadonlyMap<string, string>;
  /** Whether to import links without their rules, as the Free plan requires. */
  withoutRules: boolean;
  /** Whether links that have a password are open. Otherwise, those whose password is not known are imported paused. */
  withoutPasswords: boolean;
  /** Whether query parameters of visits are forwarded, as most services do. */
  forwardQuery: boolean;
  /** Whether to update existing links whose content differs. */
  update: boolean;
  /** Whether to hand the imported links over to the API. Only in the dashboard, where links are created without it. */
  handOver?: boolean;
}

/** Facts about the account that the plan needs. */
export interface ImportAccount {
  plan: Plan;
  /** The domain of links that do not name one. */
  defaultDomain: string;
  /** The account's own domains. */
  domains: ReadonlyMap<string, DomainStatus>;
  /** Those of the domains on which slugs are case-sensitive. */
  caseSensitive: ReadonlySet<string>;
}

export function importAccount(plan: Plan, defaultDomain: string, domains: readonly Domain[]): ImportAccount {
  return {
    plan,
    defaultDomain,
    domains: new Map(domains.map(({ domain, status }) => [domain, status])),
    caseSensitive: new Set(domains.flatMap(({ domain, case_sensitive }) => (case_sensitive ? [domain] : []))),
  };
}

type Addressed = { domain: string; slug: string };

/** A link to create or update. */
export interface ImportedLink {
  at: number;
  /** Domain and slug as in the file. */
  source: string;
  /** Its address in Hoplink (`addressKey`). */
  key: string;
  body: CreateLink & { slug: string; domain: string };
  /** Whether it is paused because its password is not known. */
  needsPassword: boolean;
  /** Sum of its clicks at the other service; 0: not known. */
  clicks: number;
}

export interface ResolvedLinks {
  wanted: ImportedLink[];
  refused: RefusedLink[];
  /** Links that duplicate another one in the file: the same address, with the same content. */
  repeated: number;
  /** The account's domains that would accept refused links if their slugs were case-sensitive. */
  caseCollisions: string[];
}

/** @param unit  the unit of `at` */
export function resolveLinks(
  links: readonly ReadLink[],
  unit: "line" | "entry",
  options: ImportOptions,
  account: ImportAccount,
): ResolvedLinks {
  const result: ResolvedLinks = { wanted: [], refused: [], repeated: 0, caseCollisions: [] };
  const caseCollisions = new Set<string>();
  const byKey = new Map<string, ImportedLink>();
  /** Sums by the addresses of the file that have become one link. */
  const sums = new Map<string, number>();
  for (const link of links) {
    const source = sourceOf(link);
    const refuse = (why: Reason, of = source) => result.refused.push(refusalOf({ at: link.at, source: of }, why));
    const usable = new Map<string, Addressed>();
    for (const each of [link, ...link.aliases]) {
      const address = targetAddress(each, options, account);
      const key = "reason" in address ? "" : addressKey(address, account.caseSensitive);
      if ("reason" in address) refuse(address, sourceOf(each));
      else if (!usable.has(key)) usable.set(key, address);
    }
    const [own, ...aliases] = usable.values();
    if (!own) continue;
    const body = toBody(link, own, aliases, options, account);
    if ("reason" in body) {
      refuse(body);
      continue;
    }
    const { at, hasPassword, content, clicks = 0 } = link;
    const needsPassword = hasPassword && !options.withoutPasswords && !content.password;
    const wanted = { at, source, key: addressKey(body, account.caseSensitive), body, needsPassword, clicks };
    const earlier = byKey.get(wanted.key);
    if (!earlier) {
      byKey.set(wanted.key, wanted);
      result.wanted.push(wanted);
    } else if (differingMembers(wanted.body, earlier.body, account).length === 0) {
      result.repeated++;
      // Pages of an API that overlap contain the same link twice, with the same clicks.
      earlier.clicks += Math.max(clicks - (sums.get(source) ?? 0), 0);
    } else {
      refuse(collision(wanted, earlier, unit, account));
      if (differInCase(wanted, earlier) && account.domains.has(body.domain)) caseCollisions.add(body.domain);
      continue;
    }
    sums.set(source, Math.max(clicks, sums.get(source) ?? 0));
  }
  return { ...result, caseCollisions: [...caseCollisions] };
}

function differInCase(link: ImportedLink, earlier: ImportedLink): boolean {
  return canonicalSlug(link.body.slug) !== canonicalSlug(earlier.body.slug);
}

function collision(link: ImportedLink, earlier: ImportedLink, unit: string, account: ImportAccount): Reason {
  if (!differInCase(link, earlier)) {
    return {
      reason: `The address is the same as in ${unit} ${earlier.at}, but the content differs.`,
      advice: "Remove one of the two, or map their domains to different ones.",
    };
  }
  return {
    reason: `The slug differs from that of ${unit} ${earlier.at} (${earlier.body.slug}) only in upper and lower case, which ${link.body.domain} does not distinguish.`,
    advice: account.domains.has(link.body.domain)
      ? "Make slugs case-sensitive on it before you create its first link, or give one of the two another slug."
      : "Import them to one of your own domains with case-sensitive slugs, or give one of the two another slug.",
  };
}

/** The key of the link that an address of the file leads to. */
export function keyOfAddress(
  { domain, slug }: SourceAddress,
  options: ImportOptions,
  account: ImportAccount,
): string | null {
  const target = targetDomain(domain ?? "", options, account);
  return typeof target === "string" ? addressKey({ domain: target, slug }, account.caseSensitive) : null;
}

function sourceOf({ domain, slug }: SourceAddress): string {
  return `${domain ?? ""}/${slug}`;
}

function targetAddress(
  { domain: named, slug }: SourceAddress,
  options: ImportOptions,
  account: ImportAccount,
): Addressed | Reason {
  const domain = targetDomain(named ?? "", options, account);
  if (typeof domain !== "string") return domain;
  if (slug !== "") return { domain, slug };
  return {
    reason: "This is the home page of a short domain, or a link without a slug.",
    advice: "Set the domain's default redirects under Settings, Domains.",
  };
}

function targetDomain(named: string, { domain, domains }: ImportOptions, account: ImportAccount): string | Reason {
  const chosen = domains.get(named) ?? (isUsable(named, account) && domain === null ? named : domain);
  const target = chosen ?? (named === "" ? account.defaultDomain : named);
  if (isUsable(target, account)) return target;
  const status = account.domains.get(target);
  if (status !== undefined) {
    return {
      reason: `${shortened(target)} is ${status}.`,
      advice: "Set its DNS records. You can create links once it is active.",
    };
  }
  return {
    reason: `${shortened(target)} is not one of your domains.`,
    advice: "Add it under Settings, Domains, or choose another domain for its links.",
  };
}

function isUsable(domain: string, { defaultDomain, domains }: ImportAccount): boolean {
  return domain === defaultDomain || domains.get(domain) === "active";
}

/** A body that the API accepts, so that a dry run reports the same as an import. */
function toBody(
  { content, hasPassword }: ReadLink,
  { domain, slug }: Addressed,
  aliases: Addressed[],
  options: ImportOptions,
  account: ImportAccount,
): ImportedLink["body"] | Reason {
  const { routing = [], password, ...plain } = content;
  const rules = options.withoutRules ? [] : routing;
  if (rules.length > 0 && account.plan !== "premium") {
    return {
      reason: "The link has routing rules, which require the Premium plan.",
      advice: "Change the plan, or import without rules.",
    };
  }
  const parsed = CreateLink.safeParse({
    ...plain,
    ...(rules.length > 0 ? { routing: rules } : {}),
    ...(options.forwardQuery ? { forward_query: true } : {}),
    // Without its password, anyone could open it.
    ...(options.withoutPasswords ? {} : password ? { password } : hasPassword ? { paused: true } : {}),
    ...(aliases.length > 0 ? { aliases } : {}),
    slug,
    domain,
  });
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: "is invalid" }] = parsed.error.issues;
    return wrongMember(path.join("."), `${path.join(".")} ${message}`);
  }
  const hosts = { shortDomainByHostname: new Map([[account.defaultDomain, account.defaultDomain]]) };
  // An expiry in the past is not a problem of a link that already exists.
  const [problem] = [
    ...linkAddressProblems(parsed.data, account.defaultDomain, account.domains),
    ...linkProblems(parsed.data, hosts, account.domains, null),
  ];
  return problem ? wrongMember(problem.path, problem.message) : { ...parsed.data, slug, domain };
}

function wrongMember(path: string, message: string): Reason {
  return { reason: sentence(message), advice: ADVICE[path] ?? "Change it at the other service, and export again." };
}

/** Advice by the invalid member. */
const ADVICE: Readonly<Record<string, string>> = {
  slug: "Create it by hand with another slug.",
  url: "Destinations must be http or https addresses outside of Hoplink. Change the destination, and export again.",
};

/** Messages of validation begin with the field's name and have no full stop. */
export function sentence(message: string): string {
  const text = shortened(message, 300);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.…]$/.test(text) ? "" : "."}`;
}

export type Comparison =
  | { action: "create" }
  | { action: "unchanged" }
  | { action: "differs"; id: string; members: string[] }
  | { action: "refuse"; refusal: RefusedLink };

/** @param existing  the account's link at the address @param now  epoch ms: an expired link is not created */
export function compareLink(
  link: ImportedLink,
  existing: Link | undefined,
  now: number,
  account: ImportAccount,
): Comparison {
  if (existing && addressKey(existing, account.caseSensitive) !== link.key) {
    return { action: "refuse", refusal: refusalOf(link, heldBy(existing, link.body)) };
  }
  if (existing) {
    const members = differingMembers(withAliasesOf(existing, link.body, account), existing, account);
    return members.length === 0 ? { action: "unchanged" } : { action: "differs", id: existing.id, members };
  }
  const { expires_at } = link.body;
  if (!expires_at || Date.parse(expires_at) > now) return { action: "create" };
  const reason = `The link expired on ${expires_at.slice(0, 10)}.`;
  const advice = "If it should work again, change its expiry, and export again.";
  return { action: "refuse", refusal: refusalOf(link, { reason, advice }) };
}

/** @param held  an address that the account's link already has, as its own or as an alias */
export function heldBy({ short_url }: Link, { domain, slug }: Addressed): Reason {
  return {
    reason: `The address ${shortened(`${domain}/${slug}`)} already belongs to your link ${shortened(short_url)}.`,
    advice: "Leave it out of the file, or give one of the two links another slug.",
  };
}

export function refusalOf({ at, source }: Pick<ImportedLink, "at" | "source">, why: Reason): RefusedLink {
  return { at, address: shortened(source), ...why };
}

/** An update keeps the aliases of the link: a removed one would be lost permanently. */
export function withAliasesOf(
  existing: Link | undefined,
  body: ImportedLink["body"],
  account: ImportAccount,
): ImportedLink["body"] {
  const kept = (existing?.aliases ?? []).map(({ domain, slug }) => ({ domain, slug }));
  if (!body.aliases || kept.length === 0) return body;
  const keys = aliasKeys(kept, account);
  const added = body.aliases.filter((alias) => !aliasKeys([alias], account).some((key) => keys.includes(key)));
  return { ...body, aliases: [...kept, ...added] };
}

/** A slug in another case is the same alias, unless its domain distinguishes them. */
function aliasKeys(aliases: readonly TypedAlias[], account: ImportAccount): string[] {
  return aliases.map((alias) => addressKey(alias, account.caseSensitive));
}

/** Members that the file sets to other values. Members that it does not set are left alone. */
function differingMembers(wanted: CreateLink, existing: CreateLink | Link, account: ImportAccount): string[] {
  const { slug: _slug, domain: _domain, ...content } = wanted;
  const current: Record<string, unknown> = { ...existing };
  return Object.entries(content).flatMap(([member, value]) =>
    // Links do not show their passwords. A paused link that has got its password since stays open.
    ((member === "paused" || member === "password") && current.password_protected) ||
    comparable(member, value, account) === comparable(member, current[member], account)
      ? []
      : [member],
  );
}

function comparable(member: string, value: unknown, account: ImportAccount): string {
  if (member === "aliases")
    return aliasKeys((value ?? []) as TypedAlias[], account)
      .sort()
      .join();
  const isTime = member === "expires_at" || member === "starts_at";
  return isTime && typeof value === "string" ? String(Date.parse(value)) : JSON.stringify(value ?? null);
}
