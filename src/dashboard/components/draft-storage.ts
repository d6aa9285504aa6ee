/**
 * Drafts of forms in the browser's storage, by account, mode and form: a reload, a crash or an expired session loses
 * nothing. Imports no code of a form, because signing out calls this too.
 */
import type { Mode } from "../../core/account.ts";

const PREFIX = "hoplink-draft:";
/** The oldest are removed first. */
const DRAFTS_MAX = 20;

export interface DraftAddress {
  accountId: string;
  mode: Mode;
  /** The form and what it changes, such as `rules:lnk_1`. */
  form: string;
}

/** What a form stores, and when, in epoch ms. */
export type StoredDraft = Record<string, unknown> & { savedAt: number };

/** @returns null without a readable draft */
export function readDraft(storage: Storage, address: DraftAddress): StoredDraft | null {
  return draftAt(storage, keyOf(address));
}

function draftAt(storage: Storage, key: string): StoredDraft | null {
  try {
    const draft = JSON.parse(storage.getItem(key) ?? "null") as Partial<StoredDraft> | null;
    return typeof draft?.savedAt === "number" ? { ...draft, savedAt: draft.savedAt } : null;
  } catch {
    return null;
  }
}

/** @returns whether it is stored: browsers refuse if storage is full or disabled */
export function writeDraft(storage: Storage, address: DraftAddress, draft: StoredDraft): boolean {
  try {
    storage.setItem(keyOf(address), JSON.stringify(draft));
    removeOldest(storage);
    return true;
  } catch {
    return false;
  }
}

export function removeDraft(storage: Storage, address: DraftAddress): void {
  try {
    storage.removeItem(keyOf(address));
  } catch {
    // Storage that cannot be used holds no draft.
  }
}

/**
 * One of the places for drafts of a form that is opened many times: the first free one, or, to continue a draft, the first
 * that has one.
 * @param isFree  for a form that is opened with given values, which must not replace a draft
 */
export function draftPlace(storage: Storage, { form, ...address }: DraftAddress, isFree: boolean): string {
  const places = Array.from({ length: DRAFTS_MAX + 1 }, (_, i) => (i === 0 ? form : `${form}-${i + 1}`));
  return places.find((place) => (readDraft(storage, { ...address, form: place }) === null) === isFree) ?? form;
}

/** On signing out: the browser's next user must not see them. */
export function removeAllDrafts(storage: Storage): void {
  for (const key of draftKeys(storage)) storage.removeItem(key);
}

/**
 * The members of a draft that a form can show: a draft of an earlier release may have others.
 * @param values  the form's values
 */
export function knownMembers<T extends object>(draft: Record<string, unknown>, values: T): Partial<T> {
  const known = Object.entries(values).filter(([name, value]) => hasShape(draft[name], value));
  return Object.fromEntries(known.map(([name]) => [name, draft[name]])) as Partial<T>;
}

function hasShape(value: unknown, sample: unknown): boolean {
  if (Array.isArray(sample))
    return Array.isArray(value) && (sample.length === 0 || hasShape(value[0] ?? sample[0], sample[0]));
  if (sample === null) return value === null || typeof value === "string";
  if (typeof sample !== "object") return typeof value === typeof sample;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(sample).every(([name, member]) => hasShape((value as Record<string, unknown>)[name], member));
}

function keyOf({ accountId, mode, form }: DraftAddress): string {
  return `${PREFIX}${accountId}:${mode}:${form}`;
}

function draftKeys(storage: Storage): string[] {
  return Object.keys(storage).filter((key) => key.startsWith(PREFIX));
}

function removeOldest(storage: Storage): void {
  const keys = draftKeys(storage);
  if (keys.length <= DRAFTS_MAX) return;
  const byAge = keys.map((key) => ({ key, savedAt: draftAt(storage, key)?.savedAt ?? 0 }));
  byAge.sort((a, b) => b.savedAt - a.savedAt);
  for (const { key } of byAge.slice(DRAFTS_MAX)) storage.removeItem(key);
}
