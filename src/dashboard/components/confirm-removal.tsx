/** Asks before something is removed for good. */
import { Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import type { ReactNode } from "react";

import { buttonTexts } from "../texts/shell.ts";

interface Removal {
  title: string;
  /** What is removed. */
  name: string;
  /** What stands before the name, and after it. */
  warning: readonly [before: string, after: string];
  /** Below the warning. */
  choice?: ReactNode;
  /** Label of the button. */
  confirm: string;
  onConfirm: () => void;
}

export function confirmRemoval({ title, name, warning: [before, after], choice, confirm, onConfirm }: Removal): void {
  modals.openConfirmModal({
    title,
    children: (
      <Stack>
        <Text size="sm">
          {before}
          <strong>{name}</strong>
          {after}
        </Text>
        {choice}
      </Stack>
    ),
    labels: { confirm, cancel: buttonTexts.keep },
    confirmProps: { color: "red.9" },
    onConfirm,
  });
}
