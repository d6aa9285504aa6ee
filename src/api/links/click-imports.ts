/** Imports of clicks that another service has counted: adds them to links, lists what an import has added, undoes it. */
import type { Context, MiddlewareHandler } from "hono";
import * as z from "zod";

import { importedClick } from "../../core/clicks/imported-click.ts";
import {
  Import,
  IMPORT_ID,
  IMPORTED_SINCE,
  ImportedLink,
  ImportId,
  ImportLink,
  ImportQuery,
  ImportUndo,
} from "../../core/contract/click-imports.ts";
import { ApiError, type Problem } from "../../core/errors.ts";
import { figure, IMPORT_REMAINING_MAX, IMPORTED_CLICKS_MAX, IMPORTS_OF_LINK_MAX } from "../../core/limits.ts";
import { importCost } from "../../core/links/bulk-pieces.ts";
import { timestamp } from "../../core/time.ts";
import { domainTransferred } from "../../store/domains/domain-holders.ts";
import {
  addImportedClicks,
  beginLinkImport,
  listImportedLinks,
  setClicksBefore,
  undoSomeLinks,
} from "../../store/click-imports.ts";
import { type ApiEnv, createHandlers, respondJson, respondPage, wirePage } from "../context.ts";
import { access } from "../middleware/access.ts";
import { body, noQuery, parseOrThrow, pathParam, query } from "../middleware/input.ts";
import { documented, type RouteDoc } from "../openapi/route-doc.ts";
import { linkLoader } from "./load-link.ts";

/** Runs before the query is validated. Another account's import does not exist, and neither does one without links. */
const requireImport: MiddlewareHandler<ApiEnv> = documented(
  async (c, next) => {
    const id = pathParam(c, "id");
    const isKnown = IMPORT_ID.test(id) && (await listImportedLinks(c.env, c.var.caller, id, "", 1)).items.length > 0;
    if (!isKnown) throw new ApiError("import_not_found");
    await next();
  },
  { params: { id: ImportId }, errors: ["import_not_found"] },
);

const putImportedClicksDoc: RouteDoc = {
  id: "importClicks",
  tag: "Links",
  params: { id: ImportId },
  summary: "Import clicks of a link",
  description: `Adds clicks that another service has counted, before all recorded ones. They are part of statistics, but send no events and count no unique visitors. A link without recorded clicks can have at most ${figure(IMPORTED_CLICKS_MAX)} of them.\n\nClicks that the link already has are skipped: to repeat an interrupted request, or to continue an import, send the same clicks with the same \`offset\`. If the service has only sums, send \`clicks_before\`, which Link shows.\n\nEvery request counts as one link of a bulk request, and as another one for every 100 clicks or 8 KiB.`,
  ok: { status: 200, description: "The clicks that the link has of this import.", schema: ImportedLink },
  errors: ["validation_failed", "link_has_clicks", "import_conflict", "quota_exceeded", "domain_transferred"],
};

export const importClicksRoute = createHandlers(
  access("links:write", putImportedClicksDoc, "links"),
  linkLoader("link_id"),
  body(ImportLink, { problems: (sent) => problemsOfTimes(sent, Date.now()) }),
  async (c) => {
    const { id } = parseOrThrow(z.object({ id: ImportId }), { id: pathParam(c, "id") });
    const { caller, link } = c.var;
    if (link.isTransferred) throw domainTransferred(link.domain);
    const sent = c.req.valid("json");
    await beginLinkImport(c.env, caller, id, link, importCost(sent.clicks?.length ?? 0, JSON.stringify(sent).length));
    const clicks = await (sent.clicks_before ? importSum(c, id, sent.clicks_before) : importAll(c, id, sent));
    const reply = { object: "import_link" as const, import: id, link: link.id, clicks };
    return respondJson(c, { status: 200, body: reply });
  },
);

/** The schema has checked the rest. */
function problemsOfTimes(sent: unknown, now: number): Problem[] {
  const { clicks } = Object(sent) as { clicks?: unknown };
  const times = Array.isArray(clicks) ? clicks.map((click) => Date.parse(String(Object(click).at))) : [];
  return times.flatMap((at, i): Problem[] => {
    const path = `clicks.${i}.at`;
    if (at < IMPORTED_SINCE || at > now) {
      return [{ path, code: "out_of_range", message: `must be from ${timestamp(IMPORTED_SINCE)} until now` }];
    }
    if (!(at < (times[i - 1] ?? at))) return [];
    return [{ path, code: "wrong_order", message: "must not be before the previous click" }];
  });
}

async function importSum(
  c: Context<ApiEnv>,
  id: string,
  { clicks, until, source }: NonNullable<ImportLink["clicks_before"]>,
): Promise<number> {
  const sum = { clicks, until: timestamp(Date.parse(until)), source };
  if (await setClicksBefore(c.env, c.executionCtx, c.var.caller, id, c.var.link, sum)) return 0;
  throw importConflict("Another import has set clicks_before. Undo it first.", "clicks_before");
}

async function importAll(c: Context<ApiEnv>, id: string, { offset = 0, clicks = [] }: ImportLink): Promise<number> {
  const { caller, link } = c.var;
  const result = await addImportedClicks(c.env, caller, id, link, offset, clicks.map(importedClick));
  switch (result.kind) {
    case "imported":
      return result.clicks;
    case "erased":
      throw new ApiError("link_not_found");
    case "link_has_clicks":
      throw new ApiError(result.kind);
    case "too_many": {
      const message = `A link can have ${figure(IMPORTED_CLICKS_MAX)} imported clicks, from ${IMPORTS_OF_LINK_MAX} imports.`;
      throw new ApiError("quota_exceeded", message, { param: "clicks" });
    }
    case "offset_too_high":
      throw importConflict(`${clicksSoFar(result)}: offset must not be higher.`, "offset");
    case "later_undone":
      throw importConflict("A later import of the link was undone. Undo this one too before you send it again.");
    case "out_of_order":
      throw importConflict(`${clicksSoFar(result)}: later ones must not be before them.`);
    default:
      result.kind satisfies never;
      throw new Error("the link's object returned an unknown result");
  }
}

const importConflict = (message: string, param = "clicks") => new ApiError("import_conflict", message, { param });

const clicksSoFar = ({ clicks }: { clicks: number }) => `The link has ${figure(clicks)} clicks of this import`;

const getImportDoc: RouteDoc = {
  id: "getImport",
  tag: "Links",
  summary: "Retrieve an import of clicks",
  description: "Returns the links that the import has reached, with the number of clicks that it has added to each.",
  ok: { status: 200, description: "A page of the links.", schema: Import, headers: ["Link"] },
};

export const getImportRoute = createHandlers(
  access("links:write", getImportDoc),
  requireImport,
  query(ImportQuery),
  async (c) => {
    const id = pathParam(c, "id");
    const { limit, cursor = "" } = c.req.valid("query");
    const { items, nextCursor } = await listImportedLinks(c.env, c.var.caller, id, cursor, limit);
    return respondPage(c, { object: "import" as const, id, ...wirePage(items, nextCursor) });
  },
);

const undoImportDoc: RouteDoc = {
  id: "undoImport",
  tag: "Links",
  summary: "Undo an import of clicks",
  description:
    "Removes the imported clicks from links and statistics, link by link. Repeat the request until `remaining` is 0. Sequence numbers of removed clicks stay unused. If links have a later import, undo that one first: once only such links remain, the request is refused.",
  ok: { status: 200, description: "How many links remain.", schema: ImportUndo },
  errors: ["import_conflict"],
};

export const undoImportRoute = createHandlers(
  access("links:write", undoImportDoc),
  requireImport,
  noQuery,
  async (c) => {
    const id = pathParam(c, "id");
    const { caller } = c.var;
    const blocked = await undoSomeLinks(c.env, c.executionCtx, caller, id);
    if (blocked) throw new ApiError("import_conflict", `The link ${blocked} has a later import. Undo that one first.`);
    const remaining = (await listImportedLinks(c.env, caller, id, "", IMPORT_REMAINING_MAX)).items.length;
    return respondJson(c, { status: 200, body: { object: "import" as const, id, remaining } });
  },
);
