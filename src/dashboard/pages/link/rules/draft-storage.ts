/**
 * Drafts of rules in the browser's storage, by account and link: a reload, a crash or an expired session loses nothing.
 * They contain the rules that the draft began from, so that rules saved since are not overwritten unseen. Imports no
 * code of the editor, because signing out calls this too.
 */
import type { RoutingRule } from "../../../../core/links/routing.ts";

const PREFIX = "hoplink-rule-draft:";
/** The oldest are removed first. */
const DRAFTS_MAX = 20;

export interface StoredDraft {
  /** Epoch ms. */
  savedAt: number;
  /** ETag and rules of the revision that the draft began from. */
  etag: string;
  savedRules: RoutingRule[];
  rules: RoutingRule[];
}

export interface DraftAddress {
  accountId: string;
  linkId: string;
}

/** @returns null without a readable draft */
export function readDraft(storage: Storage, address: DraftAddress): StoredDraft | null {
  try {
    const draft = JSON.parse(storage.getItem(keyOf(address)) ?? "null") as StoredDraft | null;
    return draft && [draft.rules, draft.savedRules].every(isRuleList) ? draft : null;
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

/** On signing out: the browser's next user must not see them. */
export function removeAllDrafts(storage: Storage): void {
  for (const key of draftKeys(storage)) storage.removeItem(key);
}

function keyOf({ accountId, linkId }: DraftAddress): string {
  return `${PREFIX}${accountId}:${linkId}`;
}

function draftKeys(storage: Storage): string[] {
  return Object.keys(storage).filter((key) => key.startsWith(PREFIX));
}

function removeOldest(storage: Storage): void {
  const keys = draftKeys(storage);
  if (keys.length <= DRAFTS_MAX) return;
  const byAge = keys.map((key) => ({ key, savedAt: savedAtOf(storage.getItem(key)) }));
  byAge.sort((a, b) => b.savedAt - a.savedAt);
  for (const { key } of byAge.slice(DRAFTS_MAX)) storage.removeItem(key);
}

function savedAtOf(text: string | null): number {
  try {
    return Number((JSON.parse(text ?? "null") as StoredDraft | null)?.savedAt ?? 0);
  } catch {
    return 0;
  }
}

function isRuleList(rules: unknown): boolean {
  return (
    Array.isArray(rules) &&
    rules.every((rule: Partial<RoutingRule> | null) => typeof rule?.to === "string" && typeof rule.if === "object")
  );
}
