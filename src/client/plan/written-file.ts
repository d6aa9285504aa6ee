/** Writes the existing links to `links.yaml`. Parts that are still correct stay unchanged, with comments. Pure. */
import { Document, isMap, isScalar, isSeq, parse, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";

import { addressKey } from "../../core/links/case-folding.ts";
import {
  addressOf,
  type FileLink,
  isAsWanted,
  isSame,
  type Member,
  memberOf,
  MEMBERS,
  shownName,
  withoutManagedTag,
} from "./links-file.ts";
import type { ParsedFile } from "./parse.ts";
import type { CurrentLink } from "./plan.ts";

interface Source {
  defaultDomain: string;
  caseSensitive: ReadonlySet<string>;
  /** All links for the file, in the order in which new ones are added. */
  links: readonly CurrentLink[];
}

/** Long addresses stay on one line. */
const FORMAT = { lineWidth: 0 } as const;

/** @param schemaUrl  for editors */
export function newLinksFile({ links, defaultDomain }: Source, schemaUrl: string): string {
  const document = new Document({
    links: links.map((link) => fileLink(link, defaultDomain, undefined)),
  });
  document.commentBefore = ` yaml-language-server: $schema=${schemaUrl}`;
  return document.toString(FORMAT);
}

/** @param text  of the file, which was parsed without problems */
export function updatedLinksFile(text: string, parsed: ParsedFile, source: Source): string {
  const document: Document = parseDocument(text);
  try {
    // An unchanged file also keeps its formatting.
    return update(document, parsed, source) ? withKeptLines(text, document.toString(formatOf(text, parsed))) : text;
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("Unresolved alias"))) throw error;
    // The anchor of an alias was in a link that is gone. Without aliases, the comments are lost too.
    const plain = new Document(parseDocument(text).toJS({ maxAliasCount: -1 }), { aliasDuplicateObjects: false });
    update(plain, parsed, source);
    return plain.toString(FORMAT);
  }
}

/** Uses the indentation of the file's first link. */
function formatOf(text: string, { lines: [first = 0] }: ParsedFile) {
  const [, indent = "  "] = /^( *)-/.exec(text.split("\n")[first - 1] ?? "") ?? [];
  return { ...FORMAT, indent: indent.length || 2, indentSeq: indent !== "" };
}

/** @returns whether anything changed */
function update(document: Document, { file }: ParsedFile, source: Source): boolean {
  const items = document.get("links");
  if (!isSeq(items)) throw new TypeError("links must be a list");
  const keyOf = (address: { domain: string; slug: string }) => addressKey(address, source.caseSensitive);
  const byKey = new Map(source.links.map((link) => [keyOf(link), link]));
  const gone: number[] = [];
  let changes = 0;
  for (const [i, wanted] of file.links.entries()) {
    const key = keyOf(addressOf(wanted, file.domain, source.defaultDomain));
    const link = byKey.get(key);
    if (link) changes += updateLink(document, items, i, wanted, link, file.managed_by);
    else gone.push(i);
    byKey.delete(key);
  }
  for (const i of gone.toReversed()) items.delete(i);
  const domain = file.domain ?? source.defaultDomain;
  for (const link of byKey.values()) items.add(document.createNode(fileLink(link, domain, file.managed_by)));
  if (byKey.size > 0) items.flow = false;
  return changes + gone.length + byKey.size > 0;
}

/** @returns the number of changed members */
function updateLink(
  document: Document,
  items: YAMLSeq,
  i: number,
  wanted: FileLink,
  link: CurrentLink,
  managedBy: string | undefined,
): number {
  const members = MEMBERS.filter((member) => !isAsWritten(link, wanted, member, managedBy));
  if (members.length === 0) return 0;
  const node = items.get(i, true);
  // An alias is shared with other links.
  const own = isMap(node) ? node : (document.createNode({ ...wanted }) as YAMLMap);
  for (const member of members) {
    const value = writtenMember(link, member, managedBy);
    const name = shownName(member);
    if (value === null) for (const each of new Set([member, name])) own.delete(each);
    else setMember(document, own, name, value);
  }
  items.set(i, own);
  return members.length;
}

/** Replaces a string in its node, which keeps its comment, unless aliases refer to the node. */
function setMember(document: Document, link: YAMLMap, member: string, value: unknown): void {
  const there = link.get(member, true);
  if (typeof value === "string" && isScalar(there) && there.anchor === undefined) there.value = value;
  else link.set(member, document.createNode(value));
}

/** The file omits its own tag, so a missing tag is not a difference. */
function isAsWritten(link: CurrentLink, wanted: FileLink, member: Member, managedBy: string | undefined): boolean {
  const tags = [...(link.tags ?? []), ...(managedBy === undefined ? [] : [managedBy])];
  return isAsWanted(member === "tags" ? { ...link, tags } : link, wanted, member, managedBy);
}

function fileLink(link: CurrentLink, defaultDomain: string, managedBy: string | undefined): object {
  const set = MEMBERS.map((member): [string, unknown] => [shownName(member), writtenMember(link, member, managedBy)]);
  return {
    slug: link.slug,
    ...(link.domain !== defaultDomain && { domain: link.domain }),
    ...Object.fromEntries(set.filter(([, value]) => value !== null)),
  };
}

function writtenMember(link: CurrentLink, member: Member, managedBy: string | undefined): unknown {
  return memberOf({ ...link, tags: withoutManagedTag(link.tags ?? [], managedBy) }, member);
}

/** The file's aliases were counted when it was read. */
const READING = { maxAliasCount: -1, uniqueKeys: false } as const;

/**
 * The YAML library rewrites a file in its own style: `[ a ]` for `[a]`, one space before a comment. Lines whose only
 * changes are in their spaces are restored, so that a diff shows real changes.
 * @param before  the file before the update @param written  the file as the library writes it
 */
function withKeptLines(before: string, written: string): string {
  const lines = new Map(before.split(/\r?\n/).map((line) => [withoutSpaces(line), line]));
  const kept = written.split("\n").map((line) => lines.get(withoutSpaces(line)) ?? line);
  const text = kept.join(before.includes("\r\n") ? "\r\n" : "\n");
  return saysTheSame(text, written) ? text : written;
}

function withoutSpaces(line: string): string {
  return line.replace(/\s+/g, "");
}

/** Spaces matter in indentation and within strings. */
function saysTheSame(text: string, other: string): boolean {
  try {
    return isSame(parse(text, READING), parse(other, READING));
  } catch {
    return false;
  }
}
