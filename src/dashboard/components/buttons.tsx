/** Buttons of pages, forms and dialogs, icon-only buttons, buttons that copy a text, and the notes beside them. */
import { ActionIcon, type ActionIconProps, Button, Text, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import type { ComponentProps, ReactElement } from "react";

import type { Wait } from "../api/waits.ts";
import { icon } from "../icons.tsx";
import { copyTexts, errorTexts } from "../texts/shell.ts";

/** A small, dimmed note. */
export const Hint = Text.withProps({ size: "sm", c: "dimmed" });

/** Why a task waits, and how long. */
export function WaitHint({ wait }: { wait: Wait | null }) {
  return wait && <Hint role="status">{errorTexts.waiting(wait.reason, wait.seconds)}</Hint>;
}

export const SubmitButton = Button.withProps({ type: "submit" });

/** The main action of a page with a list. */
export const AddButton = Button.withProps({ leftSection: icon("plus", 18) });

export const PlainButton = Button.withProps({ variant: "default" });

/** For cards, rows and messages. */
export const SmallButton = Button.withProps({ variant: "default", size: "xs" });

/** For use next to or below the content that it expands, adds to or removes. */
export const FlatButton = Button.withProps({ variant: "subtle", size: "compact-sm" });

/** Escape hides the name of an icon button, which may cover something, until the pointer or the focus moves on. */
export function watchIconNames(): void {
  const { dataset } = document.documentElement;
  window.addEventListener("keydown", ({ key }) => key === "Escape" && (dataset["iconNames"] = "hidden"), true);
  for (const move of ["pointerover", "focusin"]) window.addEventListener(move, () => delete dataset["iconNames"], true);
}

interface IconButtonProps extends ActionIconProps, Omit<ComponentProps<"button">, keyof ActionIconProps | "children"> {
  /** The name, which is shown while the button is hovered or has the focus of the keyboard (dashboard.css). */
  label: string;
  /** Shown instead of the name. */
  tip?: string | undefined;
  sign: ReactElement;
}

export function IconButton({ label, tip = label, sign, ...button }: IconButtonProps) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} data-tip={tip} {...button}>
      {sign}
    </ActionIcon>
  );
}

/** Copying is announced on the button and to screen readers. */
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
