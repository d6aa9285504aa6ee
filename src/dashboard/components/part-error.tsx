/** Shown in place of a part of the page that failed: why, and how to go on. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";

import { useRelease } from "../api/release.ts";
import { IconAlertTriangle } from "../icons.tsx";
import { partErrorTexts } from "../texts/shell.ts";
import { PartLoadError } from "./load-part.ts";

interface PartErrorProps {
  error: unknown;
  /** A retry did not help. */
  hasFailedAgain: boolean;
  retry: () => void;
}

export function PartError({ error, hasFailedAgain, retry }: PartErrorProps) {
  const isLoadError = error instanceof PartLoadError;
  const { isOutdated, isReachable } = useRelease();
  useWindowEvent("online", () => isLoadError && retry());
  const reason = isOutdated ? partErrorTexts.outdated : isLoadError ? partErrorTexts.offline : partErrorTexts.crashed;
  // Without the server, a reload would replace the page by the browser's error page.
  const offersReload = isReachable && (isOutdated || hasFailedAgain || !isLoadError);
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={isLoadError ? partErrorTexts.notLoaded : partErrorTexts.failed}
      role="alert"
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{reason}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={retry}>
            {partErrorTexts.tryAgain}
          </Button>
          {offersReload && (
            <Button size="xs" variant="default" onClick={() => location.reload()}>
              {partErrorTexts.reload}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
