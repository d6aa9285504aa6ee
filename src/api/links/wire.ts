/** Links on the wire: converts bodies to records and changes, and records to Link objects. */
import { type CreateLink, type Link, UpdateLink } from "../../core/contract/links.ts";
import { Slug } from "../../core/contract/link-members.ts";
import { normalizedDomain } from "../../core/domains/domain-name.ts";
import type { Problem } from "../../core/errors.ts";
import { anyCaseSlug, type Hosts, shortUrl, typedSlug, linkHost, storedDomain } from "../../core/hosts.ts";
import {
  isUnset,
  LINK_MEMBER_LIST,
  type LinkAlias,
  type LinkContent,
  type RevisedContent,
  type ShownMember,
  UNSET_CONTENT,
} from "../../core/links/link-members.ts";
import {
  candidateDomains,
  type KnownDomains,
  linkAddressProblems,
  linkProblems,
} from "../../core/links/link-validation.ts";
import { timestamp } from "../../core/time.ts";
import { findKnownDomains } from "../../store/domains/known-domains.ts";
import { readAliasRules } from "../../store/links/alias-rules.ts";
import type { NewLink } from "../../store/links/link-creation.ts";
import type { LinkRecord } from "../../store/links/link-rows.ts";
import type { LinkChanges } from "../../store/links/links.ts";
import type { JsonResponse } from "../context.ts";
import type { RequestContext } from "../middleware/input.ts";

/** The part of a record that responses show. */
export type LinkView = LinkContent &
  Pick<
    LinkRecord,
    "id" | "slug" | "typedSlug" | "domain" | "createdAt" | "updatedAt" | "revision" | "clicksBefore" | "isTransferred"
  >;

export function wireLink(link: LinkView, hosts: Hosts): Link {
  const { url, routing, expires_at, ...whenSet } = wireContent(link, hosts);
  return {
    id: link.id,
    slug: typedSlug(link),
    domain: linkHost(link.domain),
    short_url: shortUrl(link, hosts),
    url,
    routing,
    expires_at,
    created_at: timestamp(link.createdAt),
    updated_at: timestamp(link.updatedAt),
    ...whenSet,
    ...wireClicksBefore(link),
    ...(link.isTransferred ? { domain_transferred: true as const } : {}),
  };
}

function wireClicksBefore({ clicksBefore }: LinkView): Pick<Link, "clicks_before"> {
  if (!clicksBefore) return {};
  const { clicks, until, source } = clicksBefore;
  return { clicks_before: { clicks, until, source } };
}

/** The members that requests can set, as in Link. Secrets are absent in the history. */
export function wireContent(content: RevisedContent & Partial<LinkContent>, hosts: Hosts): Pick<Link, ShownMember> {
  const shown = LINK_MEMBER_LIST.flatMap(({ name, shownAs, field, kind, isAlwaysPresent }): [string, unknown][] => {
    const value = content[field];
    const isSet = !isUnset(name, value);
    if (shownAs) return isSet ? [[shownAs, true]] : [];
    if (!isSet && !isAlwaysPresent) return [];
    if (isSet && kind === "aliases") return [[name, content.aliases.map((alias) => wireAlias(alias, hosts))]];
    return [[name, isSet && kind === "time" ? timestamp(Number(value)) : value]];
  });
  return Object.fromEntries(shown) as unknown as Pick<Link, ShownMember>;
}

function wireAlias(alias: LinkAlias, hosts: Hosts): NonNullable<Link["aliases"]>[number] {
  return { slug: typedSlug(alias), domain: linkHost(alias.domain), short_url: shortUrl(alias, hosts) };
}

/** A response with one link, its ETag and, if it was created, its location. */
export function linkResponse<Status extends 200 | 201>(
  link: LinkView,
  hosts: Hosts,
  status: Status,
): JsonResponse<Link, Status> {
  const created = status === 201 ? { location: `/links/${link.id}` } : {};
  return { status, body: wireLink(link, hosts), headers: { ETag: `"${link.revision}"` }, ...created };
}

export function toNewLink(sent: CreateLink, context: RequestContext): NewLink {
  const { hosts, caller } = context;
  return {
    ...UNSET_CONTENT,
    ...toLinkChanges(sent, context),
    url: sent.url,
    slug: sent.slug ?? null,
    domain:
      sent.domain === undefined
        ? hosts.shortDomains[caller.mode]
        : storedDomain(normalizedDomain(sent.domain), caller.mode, hosts),
  };
}

export function toLinkChanges(sent: UpdateLink, { hosts, caller }: RequestContext): LinkChanges {
  const changes = LINK_MEMBER_LIST.flatMap(({ name, field, kind }): [string, unknown][] => {
    const value = sent[name];
    if (value === undefined) return [];
    if (isUnset(name, value)) return [[field, UNSET_CONTENT[field]]];
    if (name === "aliases") {
      const stored = (domain: string) => storedDomain(normalizedDomain(domain), caller.mode, hosts);
      const aliases = sent.aliases?.map(({ slug, domain }): LinkAlias => {
        return { slug, domain: domain === undefined ? "" : stored(domain), tenure: 0 };
      });
      return [[field, aliases]];
    }
    return [[field, kind === "time" ? Date.parse(String(value)) : value]];
  });
  return Object.fromEntries(changes) as LinkChanges;
}

/**
 * Stored form of a created link for a retry with the same `Idempotency-Key`. It holds only what the request itself does
 * not contain, so that erasing a link need not search stored responses. Slug and domain are stored only if the request
 * names none: the slug was generated, and the default domain may differ at the retry, on another host or after the
 * settings have changed. Time in epoch ms.
 */
export type StoredLinkResponse = [id: string, createdAt: number, slug: string | null, domain: string | null];

export function storedLinkOf(
  { id, createdAt, slug, domain }: LinkRecord,
  sent: Pick<CreateLink, "slug" | "domain">,
): StoredLinkResponse {
  return [id, createdAt, sent.slug === undefined ? slug : null, sent.domain === undefined ? domain : null];
}

/** Rebuilds the link as it was created, regardless of later changes. */
export function restoreLink(
  [id, createdAt, slug, domain]: StoredLinkResponse,
  sent: CreateLink,
  context: RequestContext,
): LinkView {
  const wanted = toNewLink(sent, context);
  const own = domain ?? wanted.domain;
  return {
    ...wanted,
    slug: slug ?? wanted.slug ?? "",
    domain: own,
    aliases: wanted.aliases.map((alias) => ({ ...alias, domain: alias.domain || own })),
    id,
    createdAt,
    updatedAt: createdAt,
    revision: 1,
  };
}

/** Problems that a schema alone cannot detect: they depend on the caller's domains and on the clock. */

/** @param sent  the body, not yet validated by its schema */
export function newLinkProblems(sent: unknown, { hosts, caller }: RequestContext, known: KnownDomains): Problem[] {
  return [
    ...linkAddressProblems(sent, linkHost(hosts.shortDomains[caller.mode]), known),
    ...linkProblems(sent, hosts, known, Date.now()),
  ];
}

/** Problems of the members that can be changed; those of the context's link if there is one. */
export async function linkContentProblems(
  sent: unknown,
  { hosts, caller, link }: RequestContext,
  env: Env,
): Promise<Problem[]> {
  const known = await findKnownDomains(env, caller, candidateDomains([sent]));
  return linkProblems(sent, hosts, known, null, link, Date.now());
}

const SentAliases = UpdateLink.pick({ aliases: true }).loose();

/**
 * Adds the problems of aliases to the others of a body. A body without others is checked when it is carried out, against
 * the link's state at that time.
 * @param fits  whether the body fits its schema
 */
export async function withAliasProblems(
  others: Problem[],
  sent: unknown,
  context: RequestContext,
  env: Env,
  fits: boolean,
): Promise<Problem[]> {
  if (fits && others.length === 0) return others;
  const problemsIn = await readAliasProblems([sent], context, env);
  return [...others, ...problemsIn(sent)];
}

/**
 * The problems of the aliases of bodies, as far as aliases fit their schema.
 * @param bodies  not yet validated; nothing is read for those without aliases
 */
export async function readAliasProblems(
  bodies: readonly unknown[],
  context: RequestContext,
  env: Env,
): Promise<(sent: unknown) => Problem[]> {
  const { hosts, caller } = context;
  const defaultDomain = hosts.shortDomains[caller.mode];
  const aliasedLink = (sent: unknown) => {
    const { slug, domain, aliases: sentAliases } = SentAliases.safeParse(sent).data ?? {};
    const { aliases = [] } = sentAliases ? toLinkChanges({ aliases: sentAliases }, context) : {};
    const own = context.link ?? {
      domain: typeof domain === "string" ? storedDomain(normalizedDomain(domain), caller.mode, hosts) : defaultDomain,
      slug: anyCaseSlug(Slug.safeParse(slug).data ?? ""),
      aliases: [],
      retiredAliases: [],
    };
    return { own, domain: own.domain, aliases };
  };
  const plan = await readAliasRules(env, caller, defaultDomain, bodies.map(aliasedLink));
  return (sent) => {
    const { own, aliases } = aliasedLink(sent);
    const planned = plan(own, aliases);
    return "refusal" in planned ? (planned.refusal.details.errors ?? []) : [];
  };
}
