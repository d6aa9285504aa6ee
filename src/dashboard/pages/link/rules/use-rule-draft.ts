/**
 * The rules as they are being edited, on top of the link they began from. The draft outlives its page, so that leaving
 * by the back button loses nothing; a change that somebody else made meanwhile is seen by the ETag it began with.
 */
import { useCallback, useEffect, useState } from "react";

import type { LinkRevision } from "../use-link.ts";
import { type RuleForm, toRoutingRule, toRuleForm } from "./rule-form.ts";

interface Draft {
  base: LinkRevision;
  rules: RuleForm[];
}

/** Drafts that were left behind, by link. */
const unsavedDrafts = new Map<string, Draft>();

let lastRuleNumber = 0;

export function newRuleId(): string {
  return `rule-${++lastRuleNumber}`;
}

export interface RuleDraft {
  rules: RuleForm[];
  setRules: (change: (rules: RuleForm[]) => RuleForm[]) => void;
  isDirty: boolean;
  /** Of the revision that the draft began from. */
  etag: string;
  /** Starts again from what is stored. With the ids of what was sent, the rules on show stay the same ones. */
  reset: (from: LinkRevision, sent?: readonly RuleForm[]) => void;
  /** Goes on with these rules, but over a newer revision. */
  rebase: (onto: LinkRevision) => void;
}

export function useRuleDraft(current: LinkRevision): RuleDraft {
  const { id } = current.link;
  const [draft, setDraft] = useState<Draft>(() => unsavedDrafts.get(id) ?? createDraft(current));
  const isDirty = !matchesStored(draft.rules, draft.base);

  // A newer revision replaces a draft that was not touched, and is no conflict for one whose rules it left alone.
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

/** Whether these forms say what is stored. */
function matchesStored(rules: readonly RuleForm[], base: LinkRevision): boolean {
  // Through the form and back, as a list of one and that one alone are the same there.
  const stored = base.link.routing.map((rule) => toRoutingRule(toRuleForm("", rule)));
  return JSON.stringify(rules.map(toRoutingRule)) === JSON.stringify(stored);
}

function haveSameRules(one: LinkRevision, other: LinkRevision): boolean {
  return JSON.stringify(one.link.routing) === JSON.stringify(other.link.routing);
}
