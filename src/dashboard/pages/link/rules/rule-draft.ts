/**
 * The rules as they are being edited, on top of the link they began from. The draft outlives its page, so that leaving
 * by the back button loses nothing; a change that somebody else made meanwhile is seen by the ETag it began with.
 */
import { useCallback, useEffect, useState } from "react";

import type { LinkAt } from "../use-link.ts";
import { type RuleForm, routingRule, ruleForm } from "./rule-form.ts";

interface Draft {
  base: LinkAt;
  rules: RuleForm[];
}

/** Drafts that were left behind, by link. */
const left = new Map<string, Draft>();

let ids = 0;

export function newId(): string {
  return `rule-${++ids}`;
}

export interface RuleDraft {
  rules: RuleForm[];
  setRules: (change: (rules: RuleForm[]) => RuleForm[]) => void;
  isDirty: boolean;
  /** Of the revision that the draft began from. */
  etag: string;
  /** Starts again from what is stored. With the ids of what was sent, the rules on show stay the same ones. */
  reset: (from: LinkAt, sent?: readonly RuleForm[]) => void;
  /** Goes on with these rules, but over a newer revision. */
  rebase: (onto: LinkAt) => void;
}

export function useRuleDraft(current: LinkAt): RuleDraft {
  const { id } = current.link;
  const [draft, setDraft] = useState<Draft>(() => left.get(id) ?? draftOf(current));
  const isDirty = !says(draft.rules, draft.base);

  // A newer revision replaces a draft that was not touched, and is no conflict for one whose rules it left alone.
  if (draft.base.etag !== current.etag) {
    if (!isDirty) setDraft(draftOf(current));
    else if (sameRules(draft.base, current)) setDraft({ ...draft, base: current });
  }

  useEffect(() => {
    if (isDirty) left.set(id, draft);
    else left.delete(id);
  }, [id, draft, isDirty]);

  const setRules = useCallback(
    (change: (rules: RuleForm[]) => RuleForm[]) => setDraft(({ base, rules }) => ({ base, rules: change(rules) })),
    [],
  );
  const reset = useCallback((from: LinkAt, sent?: readonly RuleForm[]) => setDraft(draftOf(from, sent)), []);
  const rebase = useCallback((onto: LinkAt) => setDraft(({ rules }) => ({ base: onto, rules })), []);
  return { rules: draft.rules, setRules, isDirty, etag: draft.base.etag, reset, rebase };
}

function draftOf(base: LinkAt, sent: readonly RuleForm[] = []): Draft {
  return { base, rules: base.link.routing.map((rule, index) => ruleForm(sent[index]?.id ?? newId(), rule)) };
}

/** Whether these forms say what is stored. */
function says(rules: readonly RuleForm[], base: LinkAt): boolean {
  // Through the form and back, as a list of one and that one alone are the same there.
  const stored = base.link.routing.map((rule) => routingRule(ruleForm("", rule)));
  return JSON.stringify(rules.map(routingRule)) === JSON.stringify(stored);
}

function sameRules(one: LinkAt, other: LinkAt): boolean {
  return JSON.stringify(one.link.routing) === JSON.stringify(other.link.routing);
}
