import { expect, test } from "vitest";

import { signUpPlan } from "../../src/core/account.ts";

test("new accounts are on the free plan unless the setting names the other", () => {
  const plans = ["free", "premium", "Premium", ""].map((DEFAULT_PLAN) => signUpPlan({ DEFAULT_PLAN }));
  expect([signUpPlan({}), ...plans]).toEqual(["free", "free", "premium", "free", "free"]);
});
