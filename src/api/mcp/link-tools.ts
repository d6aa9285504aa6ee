/** Tools for links and the account that owns them. */
import { z } from "zod";

import { CreateLink, Link, LinkPage, ListLinksQuery, UpdateLink } from "../../core/contract/links.ts";
import { Me } from "../../core/contract/me.ts";
import { ListTagsQuery, TagPage } from "../../core/contract/tags.ts";
import { Resolution, ResolveLink } from "../../core/contract/resolutions.ts";
import { type DecidingMember, decidingPart, requireBacktest } from "./backtested-changes.ts";
import { type ApiReply, revisionOf } from "./in-process-api.ts";
import { shortResolution } from "./short-answers.ts";
import {
  BriefRouting,
  defineTool,
  IdempotencyKey,
  LinkIdIn,
  linkPath,
  pageLimit,
  RevisionIn,
  TOOL_PAGE_MAX,
} from "./tool.ts";

const BriefLink = z.strictObject({
  ...Link.shape,
  routing: BriefRouting.meta({ description: "Rules in order; the first that matches wins." }),
});

const RevisedLink = z.strictObject({
  ...BriefLink.shape,
  revision: z.int().meta({ description: "Number of this state of the link: update_link and delete_link need it." }),
});

function revisedLink(reply: ApiReply): z.output<typeof RevisedLink> {
  return { ...(reply.body as Link), revision: revisionOf(reply) };
}

const ifMatch = (revision: number) => ({ "If-Match": `"${revision}"` });

export const getAccount = defineTool({
  name: "get_account",
  title: "Account and limits",
  description:
    "The plan (routing rules need premium), scopes and mode of this key (test keys see test links alone), the default domain, and what is used of each limit.",
  scopes: [],
  effect: "reads",
  input: z.strictObject({}),
  output: Me,
  run: async (_args, { api }) => (await api({ method: "GET", path: "/me" })).body as Me,
});

export const findLinks = defineTool({
  name: "find_links",
  title: "Find links",
  description:
    "Lists links, newest first, or those that match: by a part of slug or destination (not of titles), by slug, short URL, tag, domain or time. All that is sent must hold. While has_more is true, go on with next_cursor as cursor and the rest as it was; a page may be empty before the end.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({ ...ListLinksQuery.shape, limit: pageLimit("links") }),
  output: z.strictObject({ ...LinkPage.shape, data: z.array(BriefLink) }),
  shorter: "limit must be lower",
  run: async ({ limit = TOOL_PAGE_MAX.default, ...query }, { api }) =>
    (await api({ method: "GET", path: "/links", query: { ...query, limit } })).body as LinkPage,
});

export const getLink = defineTool({
  name: "get_link",
  title: "Read a link",
  description:
    "A link with its rules, which are tried in order, and its revision, which update_link and delete_link need. What it has no value for is left out.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({ id: LinkIdIn }),
  output: RevisedLink,
  run: async ({ id }, { api }) => revisedLink(await api({ method: "GET", path: linkPath(id) })),
});

export const listTags = defineTool({
  name: "list_tags",
  title: "List tags",
  description:
    "The tags that links have, in alphabetical order, with the number of links of each; find_links takes them as tag.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({ ...ListTagsQuery.shape, limit: pageLimit("tags") }),
  output: TagPage,
  run: async ({ limit = TOOL_PAGE_MAX.default, ...query }, { api }) =>
    (await api({ method: "GET", path: "/tags", query: { ...query, limit } })).body as TagPage,
});

export const tryVisitor = defineTool({
  name: "try_visitor",
  title: "Try a pretend visitor",
  description:
    "Where one visitor would go, by which rule, and why the rules before did not match. Send what is known of the visitor; a rule that asks for what is not sent does not match. With routing, other rules are tried. Nothing is counted or stored. For many visitors at once use backtest_change.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({
    id: LinkIdIn,
    ...ResolveLink.shape,
    routing: BriefRouting.optional().meta({ description: "Rules to try instead of the link's own, of the same form." }),
  }),
  output: Resolution,
  run: async ({ id, ...body }, { api }) =>
    shortResolution((await api({ method: "POST", path: `${linkPath(id)}/resolve`, body })).body as Resolution),
});

export const createLink = defineTool({
  name: "create_link",
  title: "Create a link",
  description:
    "Makes a short link and answers its short_url, which works at once. Without slug a random one is drawn. Slug and domain can never be changed, and a slug is never free again. Everything but url may be left out.",
  scopes: ["links:write"],
  effect: "creates",
  input: z.strictObject({ ...CreateLink.shape, idempotency_key: IdempotencyKey }),
  output: RevisedLink,
  run: async ({ idempotency_key: key, ...body }, { api }) => {
    const headers: Record<string, string> = key === undefined ? {} : { "Idempotency-Key": key };
    return revisedLink(await api({ method: "POST", path: "/links", body, headers }));
  },
});

/** Described in backtest_change, to which agents send them first. The API validates them in any case. */
const AsTried = z.string().nullable().optional().meta({ description: "As sent to backtest_change." });
const TRIED_MEMBERS = {
  url: z.string().optional().meta({ description: "As sent to backtest_change." }),
  routing: BriefRouting.optional().meta({ description: "All rules of the link, as sent to backtest_change." }),
  starts_at: AsTried,
  expires_at: AsTried,
  fallback_url: AsTried,
} satisfies Record<DecidingMember, z.ZodType>;

export const updateLink = defineTool({
  name: "update_link",
  title: "Change a link",
  description:
    "Changes what is sent and leaves the rest as it is; null clears a member. Needs the link's revision. A change of url, routing, starts_at, expires_at or fallback_url needs the digest of backtest_change, called before with the same members and values, and nothing else of these. title, tags and forward_query need none.",
  scopes: ["links:write"],
  effect: "changes",
  input: z.strictObject({
    id: LinkIdIn,
    revision: RevisionIn,
    ...UpdateLink.shape,
    ...TRIED_MEMBERS,
    digest: z.string().max(100).optional().meta({ description: "The digest that backtest_change answered." }),
  }),
  output: RevisedLink,
  run: async ({ id, revision, digest, ...body }, { c, api }) => {
    await requireBacktest(c, { linkId: id, revision, members: decidingPart(body) }, digest);
    return revisedLink(await api({ method: "PATCH", path: linkPath(id), body, headers: ifMatch(revision) }));
  },
});

export const deleteLink = defineTool({
  name: "delete_link",
  title: "Delete a link",
  description:
    "Ends a link for ever: its short URL answers 410, its slug is never issued again, and nothing brings it back. Ask people first, with the clicks that get_link_stats tells. To end it so that it can be opened again, set expires_at with update_link. Its clicks stay in get_account_stats. Needs the link's revision.",
  scopes: ["links:write"],
  effect: "destroys",
  input: z.strictObject({ id: LinkIdIn, revision: RevisionIn }),
  output: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  run: async ({ id, revision }, { api }) => {
    await api({ method: "DELETE", path: linkPath(id), headers: ifMatch(revision) });
    return { id, deleted: true as const };
  },
});
