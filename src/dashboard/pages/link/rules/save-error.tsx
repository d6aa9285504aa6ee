/** Why the rules were not saved, and what to do next. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";

import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import { isConflict } from "../use-link.ts";
import type { RuleSaving } from "./use-save-rules.ts";

export function SaveRulesError({ saving, count }: { saving: RuleSaving; count: number }) {
  const { error, problems } = saving;
  if (!error) return null;
  if (isConflict(error)) {
    return (
      <Alert color="yellow" variant="light" role="alert" title={texts.conflictTitle}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{texts.conflict}</Text>
          <Group gap="xs">
            <Button size="xs" onClick={saving.reload}>
              {texts.conflictReload}
            </Button>
            <Button size="xs" variant="default" onClick={saving.keepDraft}>
              {texts.conflictKeep}
            </Button>
          </Group>
        </Stack>
      </Alert>
    );
  }
  // The account was on another plan when the page was opened.
  if (error instanceof ApiError && error.code === "plan_upgrade_required") {
    return (
      <Alert color="yellow" variant="light" role="alert" title={texts.freeTitle}>
        <Text size="sm">{texts.free}</Text>
      </Alert>
    );
  }
  const invalidRules = problems.byRule.size;
  const isCorrected = invalidRules === 0 && problems.general.length === 0;
  if (error instanceof ApiError && error.code === "validation_failed" && isCorrected) return null;
  return (
    <Alert color="red" variant="light" role="alert" title={texts.notSaved}>
      <Text size="sm">
        {invalidRules > 0 && `${count === 1 ? texts.wrongRule : texts.wrongRules(invalidRules, count)} `}
        {isCorrected ? errorMessage(error) : problems.general.join(" ")}
      </Text>
    </Alert>
  );
}
