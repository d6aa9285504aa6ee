/**
 * The edited rules, with the link's revision on which the edit is based. The browser stores a draft: this window
 * resumes its own, and offers one from an earlier visit. The base's ETag detects a concurrent change.
 */
import { useEffect, useState } from "react";

import type { RoutingRule } from "../../../../core/links/routing.ts";
import { type DraftAddress, readDraft, removeDraft } from "../../../components/draft-storage.ts";
import { useDraftAddress, useDraftGuard, useKeepDraft } from "../../../components/use-draft.ts";
import type { LinkWithEtag } from "../use-link.ts";
import { type RuleForm, toRoutingRule, toRuleForm } from "./rule-form.ts";

interface Draft {
  base: LinkWithEtag;
  rules: RuleForm[];
}

/** The stored draft: with the revision that it began from, so that rules saved since are not overwritten unseen. */
export interface StoredRules {
  savedAt: number;
  etag: string;
  savedRules: RoutingRule[];
  rules: RoutingRule[];
}

/** Links whose draft was last edited in this window: returning to them resumes it without asking. */
const editedHere = new Set<string>();

let lastRuleNumber = 0;

export function newRuleId(): string {
  return `rule-${++lastRuleNumber}`;
}

/** `offer`: a draft from an earlier visit, until it is accepted or dismissed; `etag`: of the base revision. */
export function useRuleDraft(current: LinkWithEtag) {
  const linkId = current.link.id;
  const address = useDraftAddress(`rules:${linkId}`);
  const [stored] = useState(() => readRules(address, current.link.routing));
  const [isResumed] = useState(() => editedHere.has(linkId));
  const [draft, setDraft] = useState<Draft>(() =>
    stored && isResumed ? restoreDraft(stored, current) : createDraft(current),
  );
  const [offer, setOffer] = useState(isResumed ? null : stored);
  const isDirty = !haveSameRules(draft.rules.map(toRoutingRule), draft.base.link.routing);

  // A newer revision replaces an unchanged draft. It is not a conflict if it did not change the rules. Just after
  // saving, the page still has the previous revision.
  if (draft.base.etag !== current.etag && draft.base.link.updated_at <= current.link.updated_at) {
    if (!isDirty) setDraft(createDraft(current));
    else if (haveSameRules(draft.base.link.routing, current.link.routing)) setDraft({ ...draft, base: current });
  }

  const { isKept } = useKeepDraft(address, isDirty, {
    etag: draft.base.etag,
    savedRules: draft.base.link.routing,
    rules: draft.rules.map(toRoutingRule),
  });
  useDraftGuard(isDirty, isKept);
  useEffect(() => {
    if (isDirty) editedHere.add(linkId);
  }, [isDirty, linkId]);
  const setRules = (change: (rules: RuleForm[]) => RuleForm[]) =>
    setDraft(({ base, rules }) => ({ base, rules: change(rules) }));
  /**
   * Replaces the draft with a stored revision. `sent` lets its rules keep their ids, and thus their open inputs; rules
   * changed since they were sent stay, on the new base.
   */
  const reset = (from: LinkWithEtag, sent?: readonly RuleForm[]) =>
    setDraft(({ rules }) => (sent && rules !== sent ? { base: from, rules } : createDraft(from, sent)));
  /** Keeps the rules, on a newer base revision. */
  const rebase = (onto: LinkWithEtag) => setDraft(({ rules }) => ({ base: onto, rules }));
  const takeOffer = () => {
    if (offer) setDraft(restoreDraft(offer, current));
    setOffer(null);
  };
  const dropOffer = () => {
    if (!isDirty) removeDraft(localStorage, address);
    setOffer(null);
  };
  const { rules, base } = draft;
  return { rules, setRules, isDirty, etag: base.etag, reset, rebase, offer, takeOffer, dropOffer };
}

export type RuleDraft = ReturnType<typeof useRuleDraft>;

/** If other rules were saved since, the draft keeps its old base, and saving it is a conflict that users resolve. */
function restoreDraft({ etag, savedRules, rules }: StoredRules, current: LinkWithEtag): Draft {
  const base = haveSameRules(savedRules, current.link.routing)
    ? current
    : { link: { ...current.link, routing: savedRules }, etag };
  return { base, rules: rules.map((rule) => toRuleForm(newRuleId(), rule)) };
}

function createDraft(base: LinkWithEtag, sent: readonly RuleForm[] = []): Draft {
  return { base, rules: base.link.routing.map((rule, index) => toRuleForm(sent[index]?.id ?? newRuleId(), rule)) };
}

/** Compares rules as the form writes them: a list with one value equals the value. */
function haveSameRules(one: readonly RoutingRule[], other: readonly RoutingRule[]): boolean {
  const written = (rules: readonly RoutingRule[]) =>
    JSON.stringify(rules.map((rule) => toRoutingRule(toRuleForm("", rule))));
  return written(one) === written(other);
}

/** Null for a draft that does not differ from the saved rules. */
function readRules(address: DraftAddress, saved: readonly RoutingRule[]): StoredRules | null {
  const draft = readDraft(localStorage, address) as Partial<StoredRules> | null;
  if (!draft || ![draft.rules, draft.savedRules].every(isRuleList)) return null;
  const { rules } = draft as StoredRules;
  return haveSameRules(rules, saved) ? null : (draft as StoredRules);
}

function isRuleList(rules: unknown): boolean {
  return (
    Array.isArray(rules) &&
    rules.every((rule: Partial<RoutingRule> | null) => typeof rule?.to === "string" && typeof rule.if === "object")
  );
}
