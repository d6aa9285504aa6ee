/** The tags of an account's links. */
import { ListTagsQuery, TagPage } from "../../core/contract/tags.ts";
import { listTags } from "../../store/links/tags.ts";
import { createHandlers } from "../context.ts";
import { respondPage } from "../json-response.ts";
import { access } from "../middleware/access.ts";
import { query } from "../middleware/input.ts";
import { routeDoc } from "../openapi/route-doc.ts";

const listTagsDoc = routeDoc({
  id: "listTags",
  tag: "Links",
  summary: "List tags",
  description:
    "Every tag that a link has, with the number of its links, in alphabetical order. Clicks by tag are statistics of the account: `GET /v1/stats?group_by=tag`.",
  ok: { status: 200, description: "A page of tags.", schema: TagPage, headers: ["Link"] },
});

export const listTagsRoute = createHandlers(access("links:read"), listTagsDoc, query(ListTagsQuery), async (c) => {
  const { tags, nextCursor } = await listTags(c.env, c.var.caller, c.req.valid("query"));
  const page: TagPage = {
    data: tags.map(({ name, links }) => ({ tag: name, links })),
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
  return respondPage(c, page);
});
