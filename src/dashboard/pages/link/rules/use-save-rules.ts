/** Saves a draft of rules as a whole, and keeps the API's problems until the rules they are about change. */
import { useState } from "react";

import type { Problem } from "../../../../core/errors.ts";
import { ApiError } from "../../../api/api-error.ts";
import { notifySuccess } from "../../../notifications.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import { type LinkWithEtag, useLink, useUpdateLink } from "../use-link.ts";
import type { RuleDraft } from "./use-rule-draft.ts";
import { type RuleForm, toRoutingRule } from "./rule-form.ts";
import { NO_RULE_PROBLEMS, groupProblemsByRule } from "./rule-problems.ts";

export function useSaveRules(draft: RuleDraft, { link }: LinkWithEtag) {
  const update = useUpdateLink(link.id);
  const { refetch } = useLink(link.id);
  const [problems, setProblems] = useState(NO_RULE_PROBLEMS);
  const clearErrors = () => {
    update.reset();
    setProblems(NO_RULE_PROBLEMS);
  };
  const showProblems = (found: readonly Problem[], sent: readonly RuleForm[]) =>
    setProblems(
      groupProblemsByRule(
        found,
        sent.map(({ id }) => id),
      ),
    );
  const save = () => {
    const sent = draft.rules;
    setProblems(NO_RULE_PROBLEMS);
    update.mutate(
      { changes: { routing: sent.map(toRoutingRule) }, etag: draft.etag },
      {
        onSuccess: (saved) => {
          draft.reset(saved, sent);
          notifySuccess(texts.saved);
        },
        onError: (error) => {
          if (error instanceof ApiError && error.code === "validation_failed") showProblems(error.problems, sent);
        },
      },
    );
  };
  const refetchThen = async (then: (now: LinkWithEtag) => void) => {
    const { data } = await refetch();
    if (!data) return;
    clearErrors();
    then(data);
  };
  return {
    save,
    /** Hides the error and the problems. */
    clearErrors,
    isPending: update.isPending,
    error: update.error,
    problems,
    setProblems,
    /** Shows what the API says of the rules as they are now. */
    showProblems: (found: readonly Problem[]) => showProblems(found, draft.rules),
    /** Refetches the link and discards the draft. */
    reload: () => void refetchThen((now) => draft.reset(now)),
    /** Refetches the link and rebases the draft on it: saving then overwrites the other change. */
    keepDraft: () => void refetchThen((now) => draft.rebase(now)),
  };
}

export type RuleSaving = ReturnType<typeof useSaveRules>;
