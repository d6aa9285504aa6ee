/** Why the rules were not saved, and what to do next. */
import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";

import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { isConflict } from "../use-link.ts";
import type { RuleSaving } from "./use-save-rules.ts";

export function SaveRulesError({ saving, count }: { saving: RuleSaving; count: number }) {
  const { error, problems } = saving;
  if (!error) return null;
  if (isConflict(error)) {
    return (
      <Alert color="yellow" variant="light" role="alert" title="Somebody else changed this link">
        <Stack gap="sm" align="flex-start">
          <Text size="sm">
            Its rules are not what they were when you began. Nothing was saved. Take what is there now, or keep your
            rules and save them over it.
          </Text>
          <Group gap="xs">
            <Button size="xs" onClick={saving.reload}>
              Reload
            </Button>
            <Button size="xs" variant="default" onClick={saving.keepDraft}>
              Keep mine
            </Button>
          </Group>
        </Stack>
      </Alert>
    );
  }
  if (error instanceof ApiError && error.code === "plan_upgrade_required") {
    return (
      <Alert color="yellow" variant="light" role="alert" title="Rules need the Premium plan">
        <Text size="sm">
          This account is on the Free plan, so nothing was saved. Ask whoever runs this service for the Premium plan.
          Rules that are stored already go on working, and you may remove them. See{" "}
          <Anchor href="/docs/errors#plan_upgrade_required" inherit c="inherit" underline="always">
            plan_upgrade_required
          </Anchor>
          .
        </Text>
      </Alert>
    );
  }
  const invalidRules = problems.byRule.size;
  const isMended = invalidRules === 0 && problems.general.length === 0;
  if (error instanceof ApiError && error.code === "validation_failed" && isMended) return null;
  return (
    <Alert color="red" variant="light" role="alert" title="The rules were not saved">
      <Text size="sm">
        {invalidRules > 0 ? `${invalidRulesText(invalidRules, count)} to be mended; see below. ` : ""}
        {isMended ? errorMessage(error) : problems.general.join(" ")}
      </Text>
    </Alert>
  );
}

function invalidRulesText(wrong: number, all: number): string {
  return wrong === 1 ? `1 of ${all} rules has` : `${wrong} of ${all} rules have`;
}
