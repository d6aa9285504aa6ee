/** Checks the aliases that a request wants for its links. `link-aliases.ts` writes them. */
import type { Mode } from "../../core/account.ts";
import { type ApiError, type Problem, validationFailed } from "../../core/errors.ts";
import { anyCaseSlug, exactSlug, isExactSlug, linkHost, typedSlug } from "../../core/hosts.ts";
import { LINK_ALIASES_EVER_MAX } from "../../core/limits.ts";
import { isAscii } from "../../core/links/case-folding.ts";
import type { LinkAlias } from "../../core/links/link-members.ts";
import { addressObjectName, aliasesBeyond, isSameAddress } from "../../core/links/link-snapshot.ts";
import { lookalikeProblem } from "../../core/links/slug-rules.ts";
import type { Caller } from "../accounts/api-keys.ts";
import { type DomainRules, readDomainRules } from "../domains/known-domains.ts";
import { isCustomDomainOf } from "./domain-joins.ts";
import { findTakenAddresses, slugTaken } from "./link-aliases.ts";
import type { LinkRecord } from "./link-rows.ts";

/** The aliases of a link before a change. */
type AliasedLink = Pick<LinkRecord, "domain" | "slug" | "aliases" | "retiredAliases">;

/** The aliases of a link after a change, as stored. */
type AliasPlan = Pick<LinkRecord, "aliases" | "retiredAliases">;

/** Why an alias cannot be added, in words that follow the name of its member. */
interface AliasProblem {
  member: "slug" | "domain";
  /** `invalid_value` if omitted. */
  code?: string;
  words: string;
}

interface AliasContext {
  env: Env;
  mode: Mode;
  /** The service's own short domain where the request was sent. */
  defaultDomain: string | undefined;
  domains: ReadonlyMap<string, DomainRules>;
}

type PlannedAliases = AliasPlan | { refusal: ApiError };

/** @returns the aliases after a change, or why they are refused */
type PlanAliases<Link> = (link: Link, wanted: readonly LinkAlias[]) => PlannedAliases;

/**
 * Checks the aliases of one request against its domains.
 * @param links  with the wanted aliases; nothing is read for links without
 */
export async function readAliasRules(
  env: Env,
  caller: Caller,
  defaultDomain: string | undefined,
  links: readonly { domain: string; aliases: readonly LinkAlias[] }[],
): Promise<PlanAliases<AliasedLink>> {
  const named = links.flatMap(({ domain, aliases }) => aliases.map((alias) => alias.domain || domain));
  const domains = await readDomainRules(env, caller, [...new Set(named)]);
  const context = { env, mode: caller.mode, defaultDomain, domains };
  return (link, wanted) => planAliases(context, link, wanted);
}

/**
 * The stored form of wanted aliases.
 * @returns the error if they are not valid
 */
function planAliases(context: AliasContext, link: AliasedLink, wanted: readonly LinkAlias[]): PlannedAliases {
  const problems: Problem[] = [];
  const refuse = (path: string, code: string, words: string) =>
    problems.push({ path, code, message: `${path} ${words}` });
  const aliases: LinkAlias[] = [];
  const positions: number[] = [];
  for (const [i, sent] of wanted.entries()) {
    const planned = planOne(context, link, { ...sent, domain: sent.domain || link.domain });
    if ("words" in planned) {
      refuse(`aliases.${i}.${planned.member}`, planned.code ?? "invalid_value", planned.words);
      continue;
    }
    const earlier = aliases.findIndex((each) => isSameAddress(each, planned));
    if (earlier >= 0) refuse(`aliases.${i}`, "invalid_value", `is aliases.${positions[earlier]} again`);
    aliases.push(planned);
    positions.push(i);
  }
  const before = [...link.aliases, ...link.retiredAliases];
  if (before.length + aliasesBeyond(aliases, before).length > LINK_ALIASES_EVER_MAX) {
    const words = `must not have more than ${LINK_ALIASES_EVER_MAX} aliases in the life of a link, including removed ones, which are ${before.length} here`;
    refuse("aliases", "too_big", words);
  }
  if (problems.length > 0) return { refusal: validationFailed(problems) };
  return { aliases, retiredAliases: aliasesBeyond(before, aliases) };
}

function planOne(context: AliasContext, link: AliasedLink, alias: LinkAlias): LinkAlias | AliasProblem {
  const { env, mode, defaultDomain, domains } = context;
  const { domain } = alias;
  const typed = typedSlug(alias);
  const { status, isCaseSensitive, tenure } = domains.get(domain) ?? {
    status: null,
    isCaseSensitive: false,
    tenure: 0,
  };
  const isCustom = isCustomDomainOf(env, { domain, mode });
  // Without configured hosts, any other host that could be the service's own would not count as custom.
  const isOpen = isCustom ? status === "active" : domain === defaultDomain || domain === link.domain;
  const stored = (slug: string, since: number): LinkAlias => {
    return { domain, slug, tenure: since, ...(isAscii(typed) ? {} : { typedSlug: typed }) };
  };
  const [anyCase, exact] = [anyCaseSlug(typed), exactSlug(typed)];
  const names = [anyCase, exact].map((slug) => addressObjectName(domain, slug));
  const listed = link.aliases.find((each) => names.includes(addressObjectName(each.domain, each.slug)));
  if (listed && (!isOpen || listed.tenure === tenure)) {
    return stored(isExactSlug(listed.slug) ? exact : anyCase, listed.tenure);
  }
  if (!isOpen) {
    const own = linkHost(defaultDomain ?? link.domain);
    return status === null
      ? { member: "domain", words: `must be one of your active domains, or ${own}` }
      : { member: "domain", code: "not_active", words: `must be active to accept new aliases, but is ${status}` };
  }
  const lookalike = isCustom ? null : lookalikeProblem(typed);
  if (lookalike !== null) return { member: "slug", words: lookalike };
  if (names.includes(addressObjectName(link.domain, link.slug)))
    return { member: "slug", words: "is the link's own slug" };
  return stored(isCustom && isCaseSensitive ? exact : anyCase, tenure);
}

/**
 * Plans the aliases of one link after the other, so that two of them do not get the same address.
 * @param changes  all that the request wants
 */
export async function aliasPlanner(
  env: Env,
  caller: Caller,
  defaultDomain: string,
  changes: readonly { link: LinkRecord; domain: string; aliases: readonly LinkAlias[] }[],
): Promise<PlanAliases<LinkRecord>> {
  const plan = await readAliasRules(env, caller, defaultDomain, changes);
  const addresses = changes.flatMap(({ link, aliases }) => {
    const planned = plan(link, aliases);
    const added = "aliases" in planned ? aliasesBeyond(planned.aliases, link.aliases) : [];
    return added.map(({ domain, slug }) => ({ domain, slug, linkId: link.id }));
  });
  const taken = await findTakenAddresses(env, caller, addresses);
  const holders = new Map<string, string>();
  return (link, sent) => {
    const planned = plan(link, sent);
    if ("refusal" in planned) return planned;
    const added = aliasesBeyond(planned.aliases, link.aliases);
    const isTaken = (alias: LinkAlias) => {
      const name = addressObjectName(alias.domain, alias.slug);
      return added.includes(alias) && (taken.has(name) || (holders.get(name) ?? link.id) !== link.id);
    };
    const at = planned.aliases.findIndex(isTaken);
    const alias = planned.aliases[at];
    if (alias) return { refusal: slugTaken({ domain: alias.domain, slug: typedSlug(alias), alias: at }) };
    for (const { domain, slug } of added) holders.set(addressObjectName(domain, slug), link.id);
    return planned;
  };
}
