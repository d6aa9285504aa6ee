/** Buttons that copy a text to the clipboard, and announce it on the button and to screen readers. */
import { Button, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";

import { icon } from "../icons.tsx";
import { copyTexts } from "../texts/shell.ts";
import { IconButton } from "./buttons.tsx";

interface CopyButtonProps {
  value: string;
  /** A name for the value, e.g. "short URL". */
  label: string;
}

export function CopyIconButton({ value, label }: CopyButtonProps) {
  const { copied, copy } = useClipboard();
  return (
    <>
      <IconButton
        color={copied ? "green" : "gray"}
        onClick={() => copy(value)}
        label={copyTexts.copy(label)}
        tip={copied ? copyTexts.copied : undefined}
        sign={copied ? icon("check", 18) : icon("copy", 18)}
      />
      <CopiedAnnouncement copied={copied} label={label} />
    </>
  );
}

export function CopyTextButton({ value, label }: CopyButtonProps) {
  const { copied, copy } = useClipboard();
  return (
    <>
      <Button
        variant={copied ? "light" : "filled"}
        leftSection={copied ? icon("check", 16) : icon("copy", 16)}
        onClick={() => copy(value)}
      >
        {copied ? copyTexts.copied : copyTexts.copy(label)}
      </Button>
      <CopiedAnnouncement copied={copied} label={label} />
    </>
  );
}

function CopiedAnnouncement({ copied, label }: { copied: boolean; label: string }) {
  return <VisuallyHidden role="status">{copied ? copyTexts.copiedWhat(label) : ""}</VisuallyHidden>;
}
