/** Notes about links in D1, or about `ALL_LINKS`. Every statement names the account and the mode. */
import type { AccountNoteList, LinkNote, LinkNoteIn } from "../core/contract/dashboard.ts";
import { ApiError } from "../core/errors.ts";
import { ALL_LINKS, ID_RANDOM_WORDS, timeOrderedId } from "../core/identifiers.ts";
import { ACCOUNT_NOTES_MAX, figure, LINK_NOTES_MAX } from "../core/limits.ts";
import { timestamp } from "../core/time.ts";
import type { Caller } from "./accounts/api-keys.ts";
import { requireNotDeleted } from "./links/links.ts";
import { queryRows, changeRows } from "./statements.ts";

type NoteRow = Omit<LinkNote, "at"> & { at: number };

/** In the order of their times. */
export async function listNotes({ DB }: Env, { accountId, mode }: Caller, linkId: string): Promise<LinkNote[]> {
  const sql =
    "SELECT id, at, text FROM link_notes WHERE account_id = ?1 AND mode = ?2 AND link_id = ?3 ORDER BY at, id";
  const rows = await queryRows<NoteRow>(DB, sql, [accountId, mode, linkId]);
  return rows.map((note) => ({ ...note, at: timestamp(note.at) }));
}

/** The notes about all links: at most `ACCOUNT_NOTES_MAX`. */
export async function listAccountNotes({ DB }: Env, { accountId, mode }: Caller): Promise<AccountNoteList["data"]> {
  const sql = "SELECT link_id, id, at, text FROM link_notes WHERE account_id = ?1 AND mode = ?2 ORDER BY link_id, id";
  const rows = await queryRows<NoteRow & { link_id: string }>(DB, sql, [accountId, mode]);
  return rows.map((note) => ({ ...note, at: timestamp(note.at) }));
}

/**
 * The inserting statement counts the existing ones, so concurrent requests cannot exceed the quotas.
 * @throws ApiError quota_exceeded, link_not_found
 */
export async function createNote(
  env: Env,
  caller: Caller,
  linkId: string,
  { at: sentAt, text }: LinkNoteIn,
): Promise<LinkNote> {
  const { accountId, mode } = caller;
  const id = timeOrderedId("note_", Date.now(), crypto.getRandomValues(new Uint32Array(ID_RANDOM_WORDS)));
  const at = Date.parse(sentAt);
  const sql = `INSERT INTO link_notes (account_id, mode, link_id, id, at, text) SELECT ?1, ?2, ?3, ?4, ?5, ?6
    WHERE (SELECT count(*) FROM link_notes WHERE account_id = ?1 AND mode = ?2 AND link_id = ?3) < ?7
      AND (SELECT count(*) FROM link_notes WHERE account_id = ?1 AND mode = ?2) < ?8`;
  const row = [accountId, mode, linkId, id, at, text];
  if ((await changeRows(env.DB, sql, [...row, LINK_NOTES_MAX, ACCOUNT_NOTES_MAX])) === 0) {
    const message = `A chart has at most ${LINK_NOTES_MAX} notes, and all charts of an account ${figure(ACCOUNT_NOTES_MAX)}. Delete one first.`;
    throw new ApiError("quota_exceeded", message);
  }
  if (linkId !== ALL_LINKS) {
    await requireNotDeleted(env, caller, linkId, () => deleteNote(env, caller, linkId, id));
  }
  return { id, at: timestamp(at), text };
}

/** @returns false if the link has no such note */
export async function changeNote({ DB }: Env, caller: Caller, linkId: string, note: LinkNote): Promise<boolean> {
  const sql =
    "UPDATE link_notes SET at = ?5, text = ?6 WHERE account_id = ?1 AND mode = ?2 AND link_id = ?3 AND id = ?4";
  const row = [caller.accountId, caller.mode, linkId, note.id, Date.parse(note.at), note.text];
  return (await changeRows(DB, sql, row)) > 0;
}

/** @returns false if the link has no such note */
export async function deleteNote(
  { DB }: Env,
  { accountId, mode }: Caller,
  linkId: string,
  id: string,
): Promise<boolean> {
  const sql = "DELETE FROM link_notes WHERE account_id = ?1 AND mode = ?2 AND link_id = ?3 AND id = ?4";
  return (await changeRows(DB, sql, [accountId, mode, linkId, id])) > 0;
}
