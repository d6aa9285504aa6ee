/** What the operator's command `export` reads: links, their history and clicks of one account, with the names that the API has. */
import type { Context } from "hono";

import { MODES, type Mode } from "../../core/account.ts";
import { ApiError } from "../../core/errors.ts";
import {
  ExportedClicksQuery,
  ExportedLinksQuery,
  type ExportedRevisions,
  ExportedRevisionsQuery,
} from "../../core/contract/export.ts";
import { findAccountByEmail, findAccountById } from "../../store/accounts/accounts.ts";
import { readClicks } from "../../store/link-object-client.ts";
import { findExportedLink, listExportedLinks } from "../../store/links/operator-links.ts";
import { listRevisions, type RevisionPage } from "../../store/links/link-revisions.ts";
import { type ApiEnv, createHandlers } from "../context.ts";
import { wireLink } from "../links/wire.ts";
import { wireRevisionPage } from "../links/revisions.ts";
import { noQuery, pathParam, query } from "../middleware/input.ts";
import { wireClickPage } from "../stats/wire.ts";

export const findAccountRoute = createHandlers(noQuery, async (c) => {
  const name = pathParam(c, "account");
  const account = await (name.includes("@") ? findAccountByEmail : findAccountById)(c.env, name);
  if (!account) throw new ApiError("not_found", "There is no such account");
  return c.json(account);
});

export const exportLinksRoute = createHandlers(query(ExportedLinksQuery), async (c) => {
  const { after, limit } = c.req.valid("query");
  const links = await listExportedLinks(c.env, accountOf(c), { after, limit });
  return c.json({
    links: links.map((link) => ({ ...wireLink(link, c.var.hosts), mode: link.mode, state: link.state })),
  });
});

export const exportClicksRoute = createHandlers(query(ExportedClicksQuery), async (c) => {
  const { after, limit } = c.req.valid("query");
  const link = await findExportedLink(c.env, accountOf(c), pathParam(c, "id"));
  if (!link) throw new ApiError("link_not_found");
  return c.json(wireClickPage(await readClicks(c.env, link, { after, limit }), after));
});

export const exportRevisionsRoute = createHandlers(query(ExportedRevisionsQuery), async (c) => {
  const { before, limit } = c.req.valid("query");
  const link = await findExportedLink(c.env, accountOf(c), pathParam(c, "id"));
  if (!link) throw new ApiError("link_not_found");
  const isDeleted = link.state === "deleted";
  const page = isDeleted ? NO_REVISIONS : await listRevisions(c.env, link, before ?? null, limit);
  const { data, next_cursor } = wireRevisionPage(page);
  const exported: ExportedRevisions = { revisions: data, next: next_cursor === null ? null : Number(next_cursor) };
  return c.json(exported);
});

const NO_REVISIONS: RevisionPage = { revisions: [], before: null, isComplete: false };

/** @throws ApiError not_found for an unknown mode */
function accountOf(c: Context<ApiEnv>): { id: string; mode: Mode } {
  const mode = MODES.find((known) => known === pathParam(c, "mode"));
  if (!mode) throw new ApiError("not_found");
  return { id: pathParam(c, "account"), mode };
}
