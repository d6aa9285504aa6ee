/** A small, dimmed note. */
import { Text } from "@mantine/core";

import type { Wait } from "../api/waits.ts";
import { errorTexts } from "../texts/shell.ts";

export const Hint = Text.withProps({ size: "sm", c: "dimmed" });

/** Why a task waits, and how long. */
export function WaitHint({ wait }: { wait: Wait | null }) {
  return wait && <Hint role="status">{errorTexts.waiting(wait.reason, wait.seconds)}</Hint>;
}
