/** A button that shows an icon alone. Apart from other buttons, whose pages need no tooltips. */
import { ActionIcon, type ActionIconProps, Tooltip } from "@mantine/core";
import type { ComponentProps, ReactElement } from "react";

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
