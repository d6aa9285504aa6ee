/** Finds a link by its id, slug or short URL. */
import { parseShortUrl } from "../../core/links/link-search.ts";
import type { ApiPromise, Link } from "../index.ts";
import { Failure, usageFailure } from "./errors.ts";
import type { Session } from "./session.ts";

/** Includes the revision that the service returns in `ETag`. */
export interface FoundLink {
  link: Link;
  revision: number | null;
}

const LINK_ID = /^lnk_[0-9a-z]{26}$/;

export async function linkIdOf(session: Session, name: string): Promise<string> {
  return LINK_ID.test(name) ? name : (await lookUp(session, name)).id;
}

export async function findLink(session: Session, name: string): Promise<FoundLink> {
  const id = await linkIdOf(session, name);
  return withRevision(session.hoplink.links.get(id, { signal: session.io.signal }));
}

export async function withRevision(answer: ApiPromise<Link>): Promise<FoundLink> {
  const { data: link, etag } = await answer.withResponse();
  const [, revision] = /^"(\d+)"$/.exec(etag ?? "") ?? [];
  return { link, revision: revision === undefined ? null : Number(revision) };
}

/** A slug can have dots and slashes, as a short URL has. */
async function lookUp({ hoplink, io }: Session, name: string): Promise<Link> {
  if (name === "") throw usageFailure("The link is missing", "Specify its ID, slug or short URL.");
  const read = (query: { short_url: string } | { slug: string }) =>
    hoplink.links.list({ ...query, archived: "any" }, { signal: io.signal }).all();
  const named = parseShortUrl(name) ? await read({ short_url: name }) : [];
  if (named.length === 0 && !name.includes("://")) named.push(...(await read({ slug: name })));
  // Links from before a domain was lost and regained have ended: they match only if no other link does.
  const current = named.filter(({ domain_transferred }) => !domain_transferred);
  const found = current.length > 0 ? current : named;
  const [link, ...others] = found;
  if (!link) throw new Failure(`Link not found: ${name}`, "not_found", "To list your links, run: hoplink links list");
  if (others.length > 0) {
    const urls = found.map(({ short_url }) => short_url).join(", ");
    throw usageFailure(`Several links have the slug ${name}: ${urls}`, "Specify the link by its short URL or ID.");
  }
  return link;
}
