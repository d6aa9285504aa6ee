/**
 * Decides what an import does: where each link goes, which are refused, and what differs from a link that is there
 * already. Pure: the account, its links and the time are arguments.
 */
import { CreateLink, type Link } from "../contract/links.ts";
import { normalizedDomain } from "../domains/domain-name.ts";
import type { DomainStatus } from "../domains/domain-verification.ts";
import { openingTimesProblems } from "../links/opening-times.ts";
import { unreachableRuleProblems } from "../links/routing.ts";
import { parseUrl } from "../http/untrusted-url.ts";
import type { Plan } from "../account.ts";
import { type ReadLink, type Reason, type Refusal, shortened } from "./source-link.ts";

export interface ImportOptions {
  /** Short domain of links whose own is not in `domains`; null: their own, which must be one of the account's. */
  domain: string | null;
  /** Short domains by those of the file. */
  domains: ReadonlyMap<string, string>;
  /** Whether links come without their rules, as the Free plan needs it. */
  withoutRules: boolean;
  /** Whether links that have a password come without it. */
  withoutPasswords: boolean;
  /** Whether query parameters of visits are passed on, as most services do. */
  forwardQuery: boolean;
  /** Whether links that are there with another content are changed. */
  update: boolean;
}

/** What the plan must know about the account. */
export interface ImportAccount {
  plan: Plan;
  /** The domain of links that name none. */
  defaultDomain: string;
  /** The account's own domains. */
  domains: ReadonlyMap<string, DomainStatus>;
  /** Those of them where slugs that differ in case are different ones. */
  caseSensitive: ReadonlySet<string>;
}

/** A link as it shall be. */
export interface ImportedLink {
  at: number;
  /** Domain and slug as the file names them. */
  source: string;
  /** Its address here (`linkKey`). */
  key: string;
  body: CreateLink & { slug: string; domain: string };
}

export interface ResolvedLinks {
  wanted: ImportedLink[];
  refused: Refusal[];
  /** Links that another one of the file serves: the same address, with the same content. */
  repeated: number;
  /** The account's domains on which links are refused that it would take if its slugs were case-sensitive. */
  caseCollisions: string[];
}

/** @param unit  what `at` counts */
export function resolveLinks(
  links: readonly ReadLink[],
  unit: "line" | "entry",
  options: ImportOptions,
  account: ImportAccount,
): ResolvedLinks {
  const result: ResolvedLinks = { wanted: [], refused: [], repeated: 0, caseCollisions: [] };
  const caseCollisions = new Set<string>();
  const byKey = new Map<string, ImportedLink>();
  const namedDomains = memo((named: string) => targetDomain(named, options, account));
  for (const link of links) {
    const source = `${link.domain ?? ""}/${link.slug}`;
    const refuse = (why: Reason) => result.refused.push({ at: link.at, address: shortened(source), ...why });
    const target = namedDomains(link.domain ?? "");
    if ("reason" in target) {
      refuse(target);
      continue;
    }
    const checked = toBody(link, target.domain, options, account);
    if ("reason" in checked) {
      refuse(checked);
      continue;
    }
    const wanted = { at: link.at, source, key: linkKey(target.domain, checked.slug, account), body: checked };
    const earlier = byKey.get(wanted.key);
    if (!earlier) {
      byKey.set(wanted.key, wanted);
      result.wanted.push(wanted);
    } else if (changedMembers(wanted.body, earlier.body).length === 0) result.repeated++;
    else {
      refuse(collision(wanted, earlier, unit, account));
      if (differInCase(wanted, earlier) && account.domains.has(target.domain)) caseCollisions.add(target.domain);
    }
  }
  return { ...result, caseCollisions: [...caseCollisions] };
}

/** Equal for the addresses that lead to one link. */
export function linkKey(domain: string, slug: string, { caseSensitive }: Pick<ImportAccount, "caseSensitive">): string {
  return `${domain}/${caseSensitive.has(domain) ? slug : slug.toLowerCase()}`;
}

function differInCase(link: ImportedLink, earlier: ImportedLink): boolean {
  return link.body.slug !== earlier.body.slug;
}

function collision(link: ImportedLink, earlier: ImportedLink, unit: string, account: ImportAccount): Reason {
  if (!differInCase(link, earlier)) {
    return {
      reason: `The address is that of ${unit} ${earlier.at} already, with another content.`,
      advice: "Remove one of the two, or send their domains to different ones.",
    };
  }
  return {
    reason: `The slug differs from that of ${unit} ${earlier.at} (${earlier.body.slug}) in upper and lower case alone, which are one link on ${link.body.domain}.`,
    advice: account.domains.has(link.body.domain)
      ? "Make slugs case-sensitive there before its first link, or give one of the two another slug."
      : "Import them to a domain of your own with case-sensitive slugs, or give one of the two another slug.",
  };
}

function targetDomain(
  named: string,
  { domain, domains }: ImportOptions,
  account: ImportAccount,
): { domain: string } | Reason {
  const chosen = domains.get(named) ?? (isUsable(named, account) && domain === null ? named : domain);
  if (chosen === null) {
    if (named === "") return { domain: account.defaultDomain };
    return {
      reason: `${shortened(named)} is not one of your domains.`,
      advice: "Add it under Settings, Domains, or choose another domain for its links.",
    };
  }
  const target = normalizedDomain(chosen);
  if (isUsable(target, account)) return { domain: target };
  const status = account.domains.get(target);
  return status === undefined
    ? { reason: `${shortened(target)} is not one of your domains.`, advice: "Add it under Settings, Domains." }
    : {
        reason: `${shortened(target)} is ${status}.`,
        advice: "Set its DNS records; links can be created once it is active.",
      };
}

function isUsable(domain: string, { defaultDomain, domains }: ImportAccount): boolean {
  return domain === defaultDomain || domains.get(domain) === "active";
}

function toBody(
  { slug, content, hasPassword }: ReadLink,
  domain: string,
  { withoutRules, withoutPasswords, forwardQuery }: ImportOptions,
  account: ImportAccount,
): ImportedLink["body"] | Reason {
  if (slug === "") {
    return {
      reason: "This is the home page of a short domain, or a link without a slug.",
      advice: "Choose the domain's landing page under Settings, Domains.",
    };
  }
  if (hasPassword && !withoutPasswords) {
    return {
      reason: "The link has a password. Hoplink has none, so everybody would see where it leads.",
      advice: "Leave it where it is, or import without passwords.",
    };
  }
  const { routing = [], ...plain } = content;
  const rules = withoutRules ? [] : routing;
  if (rules.length > 0 && account.plan !== "premium") {
    return {
      reason: "The link has routing rules, which need the Premium plan.",
      advice: "Change the plan, or import without rules.",
    };
  }
  const sent = {
    ...plain,
    ...(rules.length > 0 ? { routing: rules } : {}),
    ...(forwardQuery ? { forward_query: true } : {}),
  };
  return checkedBody({ ...sent, slug, domain }, account);
}

/** As the API validates it, so that a dry run tells the same. */
function checkedBody(body: ImportedLink["body"], account: ImportAccount): ImportedLink["body"] | Reason {
  const parsed = CreateLink.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = issue?.path.join(".") ?? "";
    return { reason: sentence(`${path} ${issue?.message ?? "is invalid"}`), advice: adviceFor(path) };
  }
  const link = { ...parsed.data, slug: body.slug, domain: body.domain };
  const problem =
    openingTimesProblems({ startsAt: epochMs(link.starts_at), expiresAt: epochMs(link.expires_at) }, null)[0]
      ?.message ??
    unreachableRuleProblems((link.routing ?? []).map((rule, index) => ({ index, if: rule.if })))[0]?.message;
  if (problem !== undefined)
    return { reason: sentence(problem), advice: "Change it at the other service, and export again." };
  const isLoop = [link.url, link.fallback_url, ...(link.routing ?? []).map(({ to }) => to)].some((url) => {
    const host = typeof url === "string" ? parseUrl(url)?.host : undefined;
    return host !== undefined && (host === account.defaultDomain || account.domains.has(host));
  });
  if (isLoop)
    return { reason: "The link leads to one of your own short domains.", advice: "Give it its final destination." };
  return link;
}

/** Messages of validation begin with the field's name and have no full stop. */
export function sentence(message: string): string {
  const text = shortened(message, 300);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.…]$/.test(text) ? "" : "."}`;
}

function adviceFor(path: string): string {
  if (path === "slug") return "Create it by hand with another slug: letters, digits, - and _.";
  if (path === "url")
    return "Hoplink leads to http and https addresses only. Change the destination, and export again.";
  return "Change it at the other service, and export again.";
}

export type Comparison =
  | { action: "create"; link: ImportedLink }
  | { action: "unchanged"; link: ImportedLink }
  | { action: "differs"; link: ImportedLink; id: string; members: string[] }
  | { action: "refuse"; refusal: Refusal };

/** @param now  epoch ms: a link that has expired is not created any more */
export function compareLink(link: ImportedLink, existing: Link | undefined, now: number): Comparison {
  if (existing) {
    const members = changedMembers(link.body, existing);
    return members.length === 0 ? { action: "unchanged", link } : { action: "differs", link, id: existing.id, members };
  }
  const expiresAt = epochMs(link.body.expires_at);
  if (typeof expiresAt !== "number" || expiresAt > now) return { action: "create", link };
  return {
    action: "refuse",
    refusal: {
      at: link.at,
      address: shortened(link.source),
      reason: `The link expired on ${link.body.expires_at?.slice(0, 10)}.`,
      advice: "Nothing to do, unless it should work again: then change its expiry, and export again.",
    },
  };
}

/** Members that the file tells and that are otherwise here. What the file does not tell is left alone. */
function changedMembers(wanted: CreateLink, existing: CreateLink | Link): string[] {
  const { slug: _slug, domain: _domain, ...content } = wanted;
  const current: Record<string, unknown> = { ...existing };
  return Object.entries(content).flatMap(([member, value]) =>
    comparable(member, value) === comparable(member, current[member]) ? [] : [member],
  );
}

function comparable(member: string, value: unknown): string {
  const isTime = member === "expires_at" || member === "starts_at";
  return isTime && typeof value === "string" ? String(Date.parse(value)) : JSON.stringify(value ?? null);
}

function epochMs(time: string | null | undefined): number | null | undefined {
  return typeof time === "string" ? Date.parse(time) : time;
}

function memo<Value>(decide: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? decide(key);
    known.set(key, value);
    return value;
  };
}
