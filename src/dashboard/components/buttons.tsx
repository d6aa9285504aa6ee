/** Secondary buttons of a page or dialog, and icon-only buttons. */
import { ActionIcon, type ActionIconProps, Button, Tooltip } from "@mantine/core";
import type { ComponentProps, ReactElement } from "react";

export const PlainButton = Button.withProps({ variant: "default" });

/** For cards, rows and messages. */
export const SmallButton = Button.withProps({ variant: "default", size: "xs" });

/** For use next to or below the content that it expands, adds to or removes. */
export const FlatButton = Button.withProps({ variant: "subtle", size: "compact-sm" });

interface IconButtonProps extends ActionIconProps, Omit<ComponentProps<"button">, keyof ActionIconProps | "children"> {
  label: string;
  sign: ReactElement;
  /** Also shows the label on hover. */
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
