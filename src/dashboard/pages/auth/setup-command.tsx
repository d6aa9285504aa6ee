/** What the operator runs to get a one-time address for the first account. */
import { Code, Group, Stack, Text } from "@mantine/core";

import { SETUP_COMMAND } from "../../../core/deployment-problems.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { setupTexts as texts } from "../../texts/auth.ts";

export function SetupCommand({ reason }: { reason: string }) {
  return (
    <Stack gap="sm">
      <Text role="status">{reason}</Text>
      <Group gap="xs" wrap="nowrap">
        <Code block flex={1}>
          {SETUP_COMMAND}
        </Code>
        <CopyIconButton value={SETUP_COMMAND} label={texts.command} />
      </Group>
      <Text size="sm" c="dimmed">
        {texts.validity}
      </Text>
    </Stack>
  );
}
