/** Routes of the notes about a link, or about all links. */
import type { MiddlewareHandler } from "hono";

import { type AccountNoteList, LinkNoteIn, type LinkNoteList } from "../../core/contract/dashboard.ts";
import { ApiError } from "../../core/errors.ts";
import { ALL_LINKS } from "../../core/identifiers.ts";
import { changeNote, createNote, deleteNote, listAccountNotes, listNotes } from "../../store/link-notes.ts";
import { type ApiEnv, createHandlers, respondJson } from "../context.ts";
import { loadLink } from "../links/load-link.ts";
import { access } from "../middleware/access.ts";
import { body, noQuery, pathParam } from "../middleware/input.ts";

/** Afterwards, the `id` of the path is a link of the caller, or `ALL_LINKS`. */
const loadSubject: MiddlewareHandler<ApiEnv> = (c, next) =>
  pathParam(c, "id") === ALL_LINKS ? next() : loadLink(c, next);

const UNKNOWN_NOTE = "This note does not exist.";

export const listNotesRoute = createHandlers(access("links:read"), loadSubject, noQuery, async (c) => {
  const list: LinkNoteList = { data: await listNotes(c.env, c.var.caller, pathParam(c, "id")) };
  return respondJson(c, { status: 200, body: list });
});

export const listAccountNotesRoute = createHandlers(access("links:read"), noQuery, async (c) => {
  const list: AccountNoteList = { data: await listAccountNotes(c.env, c.var.caller) };
  return respondJson(c, { status: 200, body: list });
});

export const createNoteRoute = createHandlers(access("links:write"), loadSubject, body(LinkNoteIn), async (c) => {
  const note = await createNote(c.env, c.var.caller, pathParam(c, "id"), c.req.valid("json"));
  return respondJson(c, { status: 201, body: note });
});

export const changeNoteRoute = createHandlers(access("links:write"), loadSubject, body(LinkNoteIn), async (c) => {
  const note = { id: pathParam(c, "note"), ...c.req.valid("json") };
  if (!(await changeNote(c.env, c.var.caller, pathParam(c, "id"), note))) throw new ApiError("not_found", UNKNOWN_NOTE);
  return c.body(null, 204);
});

export const deleteNoteRoute = createHandlers(access("links:write"), loadSubject, noQuery, async (c) => {
  const isDeleted = await deleteNote(c.env, c.var.caller, pathParam(c, "id"), pathParam(c, "note"));
  if (!isDeleted) throw new ApiError("not_found", UNKNOWN_NOTE);
  return c.body(null, 204);
});
