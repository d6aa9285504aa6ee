/** Saves a draft of rules as a whole, and keeps the API's problems until the rules they are about change. */
import { useState } from "react";

import { ApiError } from "../../../api/api-error.ts";
import { notifySuccess } from "../../../notifications.ts";
import { type LinkRevision, useLink, useUpdateLink } from "../use-link.ts";
import type { RuleDraft } from "./use-rule-draft.ts";
import { toRoutingRule } from "./rule-form.ts";
import { NO_RULE_PROBLEMS, groupProblemsByRule, type RuleProblems } from "./rule-problems.ts";

export interface RuleSaving {
  save: () => void;
  /** Hides the error and the problems. */
  clearErrors: () => void;
  isPending: boolean;
  error: unknown;
  problems: RuleProblems;
  setProblems: (change: (problems: RuleProblems) => RuleProblems) => void;
  /** Refetches the link and discards the draft. */
  reload: () => void;
  /** Refetches the link and rebases the draft on it: saving then overwrites the other change. */
  keepDraft: () => void;
}

export function useSaveRules(draft: RuleDraft, { link }: LinkRevision): RuleSaving {
  const update = useUpdateLink(link.id);
  const { refetch } = useLink(link.id);
  const [problems, setProblems] = useState(NO_RULE_PROBLEMS);
  const clearErrors = () => {
    update.reset();
    setProblems(NO_RULE_PROBLEMS);
  };
  const save = () => {
    const sent = draft.rules;
    setProblems(NO_RULE_PROBLEMS);
    update.mutate(
      { changes: { routing: sent.map(toRoutingRule) }, etag: draft.etag },
      {
        onSuccess: (saved) => {
          draft.reset(saved, sent);
          notifySuccess("Rules saved. Visitors follow them within seconds.");
        },
        onError: (error) => {
          const validationProblems =
            error instanceof ApiError && error.code === "validation_failed" ? error.problems : [];
          setProblems(
            groupProblemsByRule(
              validationProblems,
              sent.map(({ id }) => id),
            ),
          );
        },
      },
    );
  };
  const refetchThen = async (then: (now: LinkRevision) => void) => {
    const { data } = await refetch();
    if (!data) return;
    clearErrors();
    then(data);
  };
  return {
    save,
    clearErrors,
    isPending: update.isPending,
    error: update.error,
    problems,
    setProblems,
    reload: () => void refetchThen((now) => draft.reset(now)),
    keepDraft: () => void refetchThen((now) => draft.rebase(now)),
  };
}
