/** Buttons beside the main one of a page or dialog, and those that show an icon alone. */
import { ActionIcon, type ActionIconProps, Button, Tooltip } from "@mantine/core";
import type { ComponentProps, ReactElement } from "react";

export const PlainButton = Button.withProps({ variant: "default" });

/** Within cards, rows and messages. */
export const SmallButton = Button.withProps({ variant: "default", size: "xs" });

/** Beside or below what it unfolds, adds to or takes away. */
export const FlatButton = Button.withProps({ variant: "subtle", size: "compact-sm" });

interface IconButtonProps extends ActionIconProps, Omit<ComponentProps<"button">, keyof ActionIconProps | "children"> {
  label: string;
  sign: ReactElement;
  /** Shows the label to those who point at it, too. */
  hasTooltip?: boolean;
}

export function IconButton({ label, sign, hasTooltip = false, ...button }: IconButtonProps) {
  const action = (
    <ActionIcon variant="subtle" color="gray" aria-label={label} {...button}>
      {sign}
    </ActionIcon>
  );
  return hasTooltip ? <Tooltip label={label}>{action}</Tooltip> : action;
}
