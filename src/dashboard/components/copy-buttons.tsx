/** Buttons that copy a text to the clipboard, and announce it on the button and to screen readers. */
import { Button, CopyButton as Copy, VisuallyHidden } from "@mantine/core";

import { icon } from "../icons.tsx";
import { copyTexts } from "../texts/shell.ts";
import { IconButton } from "./buttons.tsx";

const COPIED_MS = 2_000;

/** @param label  a name for the value, e.g. "short URL" */
export function CopyIconButton({ value, label }: { value: string; label: string }) {
  return (
    <Copy value={value} timeout={COPIED_MS}>
      {({ copied, copy }) => (
        <>
          <IconButton
            color={copied ? "green" : "gray"}
            onClick={copy}
            label={copyTexts.copy(label)}
            tip={copied ? copyTexts.copied : undefined}
            sign={copied ? icon("check", 18) : icon("copy", 18)}
          />
          <CopiedAnnouncement copied={copied} label={label} />
        </>
      )}
    </Copy>
  );
}

export function CopyTextButton({ value, label }: { value: string; label: string }) {
  return (
    <Copy value={value} timeout={COPIED_MS}>
      {({ copied, copy }) => (
        <>
          <Button
            variant={copied ? "light" : "filled"}
            leftSection={copied ? icon("check", 16) : icon("copy", 16)}
            onClick={copy}
          >
            {copied ? copyTexts.copied : copyTexts.copy(label)}
          </Button>
          <CopiedAnnouncement copied={copied} label={label} />
        </>
      )}
    </Copy>
  );
}

function CopiedAnnouncement({ copied, label }: { copied: boolean; label: string }) {
  return <VisuallyHidden role="status">{copied ? copyTexts.copiedWhat(label) : ""}</VisuallyHidden>;
}
