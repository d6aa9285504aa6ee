/**
 * The schema of `links.yaml`, built from the API's schemas, so that new members of links are also valid in the file.
 * The file describes each link completely: a missing member is not set. Also compares
 * values of members with those of existing links. Pure.
 */
import * as z from "zod";

import { TagFilter } from "../../core/contract/link-members.ts";
import { CreateLink, UpdateLink } from "../../core/contract/links.ts";
import { canonicalJson } from "../../core/contract/primitives.ts";
import { normalizedDomain, parseDomainName } from "../../core/domains/domain-name.ts";
import { canonicalSlug, tagKey } from "../../core/links/case-folding.ts";
import { isUnset } from "../../core/links/link-members.ts";
import { aliasText, type TypedAlias } from "../../core/links/link-search.ts";
import { timestamp } from "../../core/time.ts";
import type { Domain, Link } from "../api-types.ts";

export const FileLink = z
  .strictObject({
    ...CreateLink.shape,
    slug: CreateLink.shape.slug.unwrap(),
    password_protected: z.boolean().nullish().meta({
      description: "Keeps the password that the link has. Write `password` to set one.",
    }),
  })
  .meta({ description: "A link, identified by its domain and slug. Omitted members are not set." });

export type FileLink = z.infer<typeof FileLink>;

export const LinksFile = z
  .strictObject({
    managed_by: TagFilter.element.optional().meta({
      description:
        "A tag that is added to every link of this file. --prune deletes links that have it but are not in the file.",
      examples: ["website"],
    }),
    domain: z
      .string()
      .optional()
      .meta({
        description: "Domain of links that do not specify one. Defaults to the domain of the service.",
        examples: ["go.example.com"],
      }),
    domains: z
      .array(z.string())
      .optional()
      .meta({ description: "Domains that must be active, including those without links in the file." }),
    links: z.array(FileLink).meta({ description: "The links, in any order." }),
  })
  .meta({ title: "Hoplink links", description: "Links for hoplink plan, apply and pull." });

export type LinksFile = z.infer<typeof LinksFile>;

/** JSON Schema with which editors complete and validate the file. */
export function linksFileJsonSchema(): object {
  return z.toJSONSchema(LinksFile, { io: "input", target: "draft-7" });
}

export type Member = keyof UpdateLink;

/** Everything that can be changed, in the API's order. */
export const MEMBERS = Object.keys(UpdateLink.shape) as readonly Member[];

/**
 * A member's value; null if it is not set, including an empty list, `false` or a default. Of a password, only whether
 * there is one: plans show no password, and the service returns none.
 */
export function memberOf(link: FileLink | CreateLink | Link, member: Member): unknown {
  if (member === "password") {
    const { password, password_protected } = link as FileLink;
    return Boolean(password) || password_protected || null;
  }
  const value: unknown = (link as FileLink)[member];
  if (isUnset(member, value)) return null;
  if (member === "aliases") return (value as TypedAlias[]).map((alias) => shortAlias(alias, link.domain));
  return typeof value === "string" && member.endsWith("_at") ? timestamp(Date.parse(value)) : value;
}

/** The link's own domain is the default. */
function shortAlias({ slug, domain }: TypedAlias, own: string | undefined): TypedAlias {
  return { slug, ...(domain && domain !== own && { domain }) };
}

/** Aliases in any order, with their domains. */
function aliasKeys(aliases: readonly TypedAlias[] | null | undefined, own: string): string[] {
  return (aliases ?? [])
    .map(({ slug, domain = own }) => aliasText({ domain: normalizedDomain(domain), slug: canonicalSlug(slug) }))
    .sort();
}

/** The name of a member in plans and in files that `pull` writes. */
export function shownName(member: Member): string {
  return member === "password" ? "password_protected" : member;
}

/** The value that the file wants, including the tag that marks its links. */
export function wantedMember(link: FileLink, member: Member, managedBy: string | undefined): unknown {
  return memberOf({ ...link, tags: withManagedTag(link.tags ?? [], managedBy) }, member);
}

/** Ignores the position of the file's own tag in the list. */
export function isAsWanted(link: Link, wanted: FileLink, member: Member, managedBy: string | undefined): boolean {
  if (member === "aliases") return isSame(aliasKeys(link.aliases, link.domain), aliasKeys(wanted.aliases, link.domain));
  if (member !== "tags") return isSame(memberOf(link, member), memberOf(wanted, member));
  if (managedBy !== undefined && !hasTag(link.tags, managedBy)) return false;
  return isSame(withoutManagedTag(link.tags ?? [], managedBy), withoutManagedTag(wanted.tags ?? [], managedBy));
}

/** Ignores the order of names in an object. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** @param tags  as in the file @param managedBy  the tag that marks the links of a file */
export function withManagedTag(tags: readonly string[], managedBy: string | undefined): string[] {
  return managedBy === undefined || hasTag(tags, managedBy) ? [...tags] : [...tags, managedBy];
}

/** @param tags  as on the link */
export function withoutManagedTag(tags: readonly string[], managedBy: string | undefined): string[] {
  return tags.filter((tag) => managedBy === undefined || tagKey(tag) !== tagKey(managedBy));
}

export function hasTag(tags: readonly string[] | undefined, tag: string): boolean {
  return tags?.some((each) => tagKey(each) === tagKey(tag)) ?? false;
}

/** Identifies a link. */
export interface Address {
  domain: string;
  slug: string;
}

/** The address for people, such as `go.example.com/spring`. */
export function addressText({ domain, slug }: Address): string {
  return `${domain}/${slug}`;
}

/** The address of a link in a file. @param defaults  the file's domain, then the service's */
export function addressOf(
  { domain, slug }: { domain?: string | undefined; slug: string },
  ...defaults: readonly [file: string | undefined, service: string]
): Address {
  return { domain: normalizedDomain(domain ?? defaults[0] ?? defaults[1]), slug };
}

/** The account's domains by name. */
export type KnownDomains = ReadonlyMap<string, Pick<Domain, "status" | "records" | "case_sensitive">>;

/**
 * Explains why a domain cannot have links yet, and what its owner must do.
 * @returns words that follow the domain's name or a link's address; null if it can have links
 */
export function domainProblem(name: string, domains: KnownDomains): string | null {
  const domain = domains.get(name);
  if (!domain) {
    const read = parseDomainName(name);
    const why = "fault" in read ? read.fault : "is not in your account: add it in the dashboard under Domains";
    return `needs the domain ${name}, which ${why}`;
  }
  if (domain.status === "active") return null;
  const missing = domain.records.filter(({ status, value }) => status !== "active" && value !== null);
  const records = missing.map(({ type, name: at, value }) => `${type} ${at} → ${value}`).join(", ");
  return `needs the domain ${name}, which is ${domain.status}${records && `: in DNS, add ${records}`}`;
}
