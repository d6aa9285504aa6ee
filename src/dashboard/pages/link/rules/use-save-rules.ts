/** Saves a draft of rules as a whole, and holds what was wrong with it until it is mended. */
import { useState } from "react";

import { ApiError } from "../../../api/api-error.ts";
import { notifyDone } from "../../../components/notify.ts";
import { type LinkAt, useLink, useUpdateLink } from "../use-link.ts";
import type { RuleDraft } from "./rule-draft.ts";
import { routingRule } from "./rule-form.ts";
import { NO_RULE_PROBLEMS, placeProblems, type RuleProblems } from "./rule-problems.ts";

export interface Saving {
  save: () => void;
  /** No longer shows what was wrong. */
  forget: () => void;
  isPending: boolean;
  error: unknown;
  problems: RuleProblems;
  setProblems: (change: (problems: RuleProblems) => RuleProblems) => void;
  /** Reads the link again and drops the draft. */
  reload: () => void;
  /** Reads the link again and keeps the draft, which then replaces what is there. */
  keepMine: () => void;
}

export function useSaveRules(draft: RuleDraft, { link }: LinkAt): Saving {
  const update = useUpdateLink(link.id);
  const { refetch } = useLink(link.id);
  const [problems, setProblems] = useState(NO_RULE_PROBLEMS);
  const forget = () => {
    update.reset();
    setProblems(NO_RULE_PROBLEMS);
  };
  const save = () => {
    const sent = draft.rules;
    setProblems(NO_RULE_PROBLEMS);
    update.mutate(
      { changes: { routing: sent.map(routingRule) }, etag: draft.etag },
      {
        onSuccess: (saved) => {
          draft.reset(saved, sent);
          notifyDone("Rules saved. Visitors follow them within seconds.");
        },
        onError: (error) => {
          const placed = error instanceof ApiError && error.code === "validation_failed" ? error.problems : [];
          setProblems(
            placeProblems(
              placed,
              sent.map(({ id }) => id),
            ),
          );
        },
      },
    );
  };
  const readAgain = async (then: (now: LinkAt) => void) => {
    const { data } = await refetch();
    if (!data) return;
    forget();
    then(data);
  };
  return {
    save,
    forget,
    isPending: update.isPending,
    error: update.error,
    problems,
    setProblems,
    reload: () => void readAgain((now) => draft.reset(now)),
    keepMine: () => void readAgain((now) => draft.rebase(now)),
  };
}
