/** Texts of testing rules on past clicks. */
import { formatCount, plural } from "../formatting/numbers.ts";

export const backtestTexts = {
  title: "Test on recent clicks",
  hint: "See where these rules would have sent the clicks of the last 30 days. Nothing is saved.",
  hintDraft: "See where your unsaved rules would have sent the clicks of the last 30 days. Nothing is saved.",
  submit: "Test these rules",
  running: "Evaluating the clicks of the last 30 days…",
  failed: "The rules could not be tested",
  wrongRules: "Your rules have errors. Correct the marked ones, then try again.",
  empty: "This link has no clicks in the last 30 days, so there is nothing to test the rules on yet.",
  outdated: "The rules have changed since this test. Test them again.",
  moved: (moved: number, clicks: number) =>
    plural(clicks, {
      one: `${formatCount(moved)} of # click would have gone to another destination.`,
      other: `${formatCount(moved)} of # clicks would have gone to another destination.`,
    }),
  noneMoved: (clicks: number) =>
    plural(clicks, {
      one: "The one click would have gone to the same destination.",
      other: "All # clicks would have gone to the same destination.",
    }),
  undecided: (clicks: number) =>
    plural(clicks, {
      one: "# click could not be evaluated and is not included.",
      other: "# clicks could not be evaluated and are not included.",
    }),
  reasons: {
    query: "Query parameters are stored only if a rule used them when the click occurred.",
    percent: "A share depends on the visitor's position in the split, which is not always known.",
  },
  rules: "Clicks by rule",
  rule: "Rule",
  before: "Actual",
  after: "With these rules",
  otherRules: "Other rules",
  samples: "Sample clicks",
  went: (url: string) => `Went to ${url}`,
  wouldGo: (url: string) => `Would go to ${url}`,
} as const;
