/** Texts of rules that are tried on past clicks. */
export const backtestTexts = {
  title: "Try it on last month's visitors",
  hint: "See what these rules would have done with the clicks of the last 30 days. Nothing is saved.",
  hintDraft: "See what your unsaved rules would have done with the clicks of the last 30 days. Nothing is saved.",
  submit: "Try these rules",
  running: "Going through the clicks of the last 30 days…",
  failed: "The rules could not be tried",
  wrongRules: "Your rules have mistakes. Correct the marked ones, then try again.",
  empty: "Nobody has clicked this link in the last 30 days, so there is nothing to try the rules on yet.",
  outdated: "The rules have changed since. Try them again.",
  /** @param moved  as text, of so many clicks */
  moved: (moved: string, clicks: string, count: number) =>
    `${moved} of ${clicks} ${count === 1 ? "click" : "clicks"} would have gone somewhere else.`,
  noneMoved: (clicks: string, count: number) =>
    count === 1
      ? "The one click would have gone to the same place."
      : `All ${clicks} clicks would have gone to the same place.`,
  undecided: (text: string, count: number) =>
    count === 1
      ? "Of 1 click there is no telling, so it is left out."
      : `Of ${text} clicks there is no telling, so they are left out.`,
  reasons: {
    query: "Which parameters a visitor's link had is only kept where a rule asked for them at the time.",
    percent: "For a share of visitors, the visitor's place in it must be known.",
  },
  rules: "Clicks of each rule",
  rule: "Rule",
  before: "So far",
  after: "With these rules",
  otherRules: "Other rules",
  samples: "Some of these clicks",
  went: "Went to",
  wouldGo: "Would go to",
} as const;
