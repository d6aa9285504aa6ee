/** What became of bringing a version back, with the way back from it, or another try. */
import { Alert, Button, CloseButton, Group, Stack, Text } from "@mantine/core";

import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { historyTexts as texts } from "../../../texts/history.ts";
import { isConflict } from "../use-link.ts";
import type { Restoring } from "./use-restore-revision.tsx";

export function RestoreOutcome({ restoring }: { restoring: Restoring }) {
  const { restored, failure, isPending } = restoring;
  if (restored !== null) {
    return (
      <Alert color="green" variant="light" role="status">
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{texts.restored(restored)}</Text>
          <Group gap="xs" wrap="nowrap">
            <Button size="xs" variant="default" loading={isPending} onClick={restoring.undo}>
              {texts.undo}
            </Button>
            <CloseButton aria-label={texts.close} onClick={restoring.dismiss} />
          </Group>
        </Group>
      </Alert>
    );
  }
  if (!failure) return null;
  return (
    <Alert color="red" variant="light" role="alert" title={texts.notRestored(failure.revision)}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{reasonOf(failure.error)}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" loading={isPending} onClick={restoring.tryAgain}>
            {texts.tryAgain}
          </Button>
          <Button size="xs" variant="subtle" onClick={restoring.dismiss}>
            {texts.close}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function reasonOf(error: unknown): string {
  if (isConflict(error)) return texts.conflict;
  if (!(error instanceof ApiError)) return errorMessage(error);
  if (error.code === "plan_upgrade_required") return texts.premium;
  return error.problems.length > 0 ? error.problems.map(({ message }) => message).join(". ") : errorMessage(error);
}
