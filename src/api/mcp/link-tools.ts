/** Tools for links and the account that owns them. */
import * as z from "zod";

import {
  CreateLink,
  Link,
  LinkPage,
  ListLinksQuery,
  ListTagsQuery,
  TagPage,
  UpdateLink,
} from "../../core/contract/links.ts";
import { Me } from "../../core/contract/me.ts";
import { Resolution, ResolveLink } from "../../core/contract/resolutions.ts";
import { LINK_MEMBER_NAMES } from "../../core/links/link-members.ts";
import { DECIDING_MEMBERS, type DecidingMember, decidingPart, requireBacktest } from "./backtested-changes.ts";
import {
  type ApiReply,
  BriefRouting,
  defineTool,
  idempotencyHeader,
  IdempotencyKey,
  LinkIdIn,
  linkPath,
  pageLimit,
  RevisionIn,
  revisionOf,
  shortResolution,
  TOOL_PAGE_MAX,
} from "./tool.ts";

const BriefLink = z.strictObject({
  ...Link.shape,
  routing: BriefRouting.meta({ description: "Rules in order. The first match wins." }),
});

const RevisedLink = z.strictObject({
  ...BriefLink.shape,
  revision: z.int().meta({ description: "Revision number of the link, for update_link and delete_link." }),
});

function revisedLink(reply: ApiReply): z.output<typeof RevisedLink> {
  return { ...(reply.body as Link), revision: revisionOf(reply) };
}

const ifMatch = (revision: number) => ({ "If-Match": `"${revision}"` });

export const getAccount = defineTool({
  name: "get_account",
  title: "Get the account",
  description:
    "Returns the plan (routing rules require premium), the key's scopes and mode (test keys see only test links), the default domain, and the usage of limits.",
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
    "Lists links, newest first. Filters by text (part of a slug, alias, short URL, destination, title or tag), slug, short URL, tag, domain or time; links must match all filters. While has_more is true, continue with next_cursor as cursor and the same arguments. Pages can be empty before the end.",
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
  title: "Get a link",
  description:
    "Returns a link with its rules, in order, and its revision, which update_link and delete_link require. Members without a value are omitted.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({ id: LinkIdIn }),
  output: RevisedLink,
  run: async ({ id }, { api }) => revisedLink(await api({ method: "GET", path: linkPath(id) })),
});

export const listTags = defineTool({
  name: "list_tags",
  title: "List tags",
  description: "Lists the tags in use, in alphabetical order, with their numbers of links. find_links filters by tag.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({ ...ListTagsQuery.shape, limit: pageLimit("tags") }),
  output: TagPage,
  run: async ({ limit = TOOL_PAGE_MAX.default, ...query }, { api }) =>
    (await api({ method: "GET", path: "/tags", query: { ...query, limit } })).body as TagPage,
});

export const tryVisitor = defineTool({
  name: "try_visitor",
  title: "Simulate a visit",
  description:
    "Returns where a visitor would go, by which rule, and why earlier rules did not match. Send the known facts of the visitor; rules on other facts do not match. Send routing to test other rules. Nothing is counted or stored. To test on many visitors, use backtest_change.",
  scopes: ["links:read"],
  effect: "reads",
  input: z.strictObject({
    id: LinkIdIn,
    ...ResolveLink.shape,
    routing: BriefRouting.optional().meta({ description: "Rules to test instead of the link's, in the same form." }),
  }),
  output: Resolution,
  run: async ({ id, ...body }, { api }) =>
    shortResolution((await api({ method: "POST", path: `${linkPath(id)}/resolve`, body })).body as Resolution),
});

export const createLink = defineTool({
  name: "create_link",
  title: "Create a link",
  description:
    "Creates a short link and returns its short_url, which works immediately. Without slug, a random one is generated. Slug and domain cannot be changed, and slugs are never reissued. Only url is required.",
  scopes: ["links:write"],
  effect: "creates",
  input: z.strictObject({ ...CreateLink.shape, idempotency_key: IdempotencyKey }),
  output: RevisedLink,
  run: async ({ idempotency_key: key, ...body }, { api }) =>
    revisedLink(await api({ method: "POST", path: "/links", body, headers: idempotencyHeader(key) })),
});

/** Described in backtest_change, to which agents send them first. The API validates them anyway. */
const AsTried = z.string().nullish().meta({ description: "As sent to backtest_change." });
const TRIED_MEMBERS = {
  url: z.string().optional().meta({ description: "As sent to backtest_change." }),
  routing: BriefRouting.optional().meta({ description: "All rules of the link, as sent to backtest_change." }),
  starts_at: AsTried,
  expires_at: AsTried,
  fallback_url: AsTried,
} satisfies Record<DecidingMember, z.ZodType>;

const OTHER_MEMBERS = LINK_MEMBER_NAMES.filter((name) => !DECIDING_MEMBERS.includes(name));
const OTHER_MEMBERS_TEXT = OTHER_MEMBERS.join(", ").replace(/, (\w+)$/, " and $1");

/** Agents read both tools, so members are described once. */
const AS_CREATED = Object.fromEntries(
  OTHER_MEMBERS.map((name) => [name, UpdateLink.shape[name].meta({ description: "As in create_link." })]),
) as unknown as Omit<typeof UpdateLink.shape, DecidingMember>;

export const updateLink = defineTool({
  name: "update_link",
  title: "Update a link",
  description: `Changes only the members that are sent; null clears a member. Requires the link's revision. To change url, routing, starts_at, expires_at or fallback_url, first call backtest_change with exactly the same changes to them, then send its digest. ${OTHER_MEMBERS_TEXT} need none.`,
  scopes: ["links:write"],
  effect: "changes",
  input: z.strictObject({
    id: LinkIdIn,
    revision: RevisionIn,
    ...AS_CREATED,
    ...TRIED_MEMBERS,
    digest: z.string().max(100).optional().meta({ description: "The digest that backtest_change returned." }),
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
    "Deletes a link permanently: its short URL returns 410, its slug is never reissued, and it cannot be restored. Ask the user first, and show the clicks from get_link_stats. To end a link reversibly, set expires_at with update_link. Its clicks stay in get_account_stats. Requires the link's revision.",
  scopes: ["links:write"],
  effect: "destroys",
  input: z.strictObject({ id: LinkIdIn, revision: RevisionIn }),
  output: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  run: async ({ id, revision }, { api }) => {
    await api({ method: "DELETE", path: linkPath(id), headers: ifMatch(revision) });
    return { id, deleted: true as const };
  },
});
