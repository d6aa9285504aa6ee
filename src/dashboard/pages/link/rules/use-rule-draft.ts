/**
 * The rules as edited, with the revision of the link that the edit is based on. The draft outlives its page, so that
 * the back button loses nothing. The base's ETag detects a concurrent change.
 */
import { useCallback, useEffect, useState } from "react";

import type { LinkRevision } from "../use-link.ts";
import { type RuleForm, toRoutingRule, toRuleForm } from "./rule-form.ts";

interface Draft {
  base: LinkRevision;
  rules: RuleForm[];
}

/** Drafts of pages that were left, by link id. */
const unsavedDrafts = new Map<string, Draft>();

let lastRuleNumber = 0;

export function newRuleId(): string {
  return `rule-${++lastRuleNumber}`;
}

export interface RuleDraft {
  rules: RuleForm[];
  setRules: (change: (rules: RuleForm[]) => RuleForm[]) => void;
  isDirty: boolean;
  /** Of the base revision. */
  etag: string;
  /** Replaces the draft with a stored revision. `sent` lets its rules keep their ids, and so their open inputs. */
  reset: (from: LinkRevision, sent?: readonly RuleForm[]) => void;
  /** Keeps the rules, on a newer base revision. */
  rebase: (onto: LinkRevision) => void;
}

export function useRuleDraft(current: LinkRevision): RuleDraft {
  const { id } = current.link;
  const [draft, setDraft] = useState<Draft>(() => unsavedDrafts.get(id) ?? createDraft(current));
  const isDirty = !matchesStored(draft.rules, draft.base);

  // A newer revision replaces an unchanged draft. It is no conflict when it did not change the rules.
  if (draft.base.etag !== current.etag) {
    if (!isDirty) setDraft(createDraft(current));
    else if (haveSameRules(draft.base, current)) setDraft({ ...draft, base: current });
  }

  useEffect(() => {
    if (isDirty) unsavedDrafts.set(id, draft);
    else unsavedDrafts.delete(id);
  }, [id, draft, isDirty]);

  const setRules = useCallback(
    (change: (rules: RuleForm[]) => RuleForm[]) => setDraft(({ base, rules }) => ({ base, rules: change(rules) })),
    [],
  );
  const reset = useCallback((from: LinkRevision, sent?: readonly RuleForm[]) => setDraft(createDraft(from, sent)), []);
  const rebase = useCallback((onto: LinkRevision) => setDraft(({ rules }) => ({ base: onto, rules })), []);
  return { rules: draft.rules, setRules, isDirty, etag: draft.base.etag, reset, rebase };
}

function createDraft(base: LinkRevision, sent: readonly RuleForm[] = []): Draft {
  return { base, rules: base.link.routing.map((rule, index) => toRuleForm(sent[index]?.id ?? newRuleId(), rule)) };
}

/** Whether the rules equal those of the base revision. */
function matchesStored(rules: readonly RuleForm[], base: LinkRevision): boolean {
  // The stored rules make the same round trip through the form, which writes a list of one value as the value.
  const stored = base.link.routing.map((rule) => toRoutingRule(toRuleForm("", rule)));
  return JSON.stringify(rules.map(toRoutingRule)) === JSON.stringify(stored);
}

function haveSameRules(one: LinkRevision, other: LinkRevision): boolean {
  return JSON.stringify(one.link.routing) === JSON.stringify(other.link.routing);
}
