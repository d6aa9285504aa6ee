/**
 * Buttons of menus and popovers. They work before the code of what they open has loaded (overlays.tsx), which opens as
 * soon as it has. The buttons stay the same elements, so that they keep the focus.
 */
import { cloneElement, type ComponentProps, type MouseEvent, type ReactElement, useId, useState } from "react";

import { lazyPart } from "./lazy-part.tsx";
import type { OverlayFrame } from "./overlays.tsx";

export const Overlays = lazyPart(() => import("./overlays.tsx"));
const MenuFrame = lazyPart(async () => ({ default: (await import("./overlays.tsx")).MenuFrame }), null, "menu");
const PopoverFrame = lazyPart(
  async () => ({ default: (await import("./overlays.tsx")).PopoverFrame }),
  null,
  "popover",
);

interface OverlayButton {
  button: ReactElement<ComponentProps<"button">>;
  onOpen?: () => void;
}

export function MenuButton({
  button,
  onOpen,
  ...menu
}: OverlayButton & Omit<ComponentProps<typeof MenuFrame>, keyof OverlayFrame>) {
  const [opener, frame] = useOverlay(button, "menu", onOpen);
  return (
    <>
      {opener}
      {frame && <MenuFrame {...menu} {...frame} />}
    </>
  );
}

export function PopoverButton({
  button,
  onOpen,
  ...popover
}: OverlayButton & Omit<ComponentProps<typeof PopoverFrame>, keyof OverlayFrame>) {
  const [opener, frame] = useOverlay(button, "dialog", onOpen);
  return (
    <>
      {opener}
      {frame && <PopoverFrame {...popover} {...frame} />}
    </>
  );
}

/** @returns the button, and what its overlay needs; null until it is first opened */
function useOverlay(button: OverlayButton["button"], kind: "menu" | "dialog", onOpen?: () => void) {
  const id = useId();
  const [isOpen, onChange] = useState(false);
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const toggle = (event: MouseEvent<HTMLElement>) => {
    setTarget(event.currentTarget);
    onChange(!isOpen);
    if (!isOpen) onOpen?.();
  };
  const opener = cloneElement(button, {
    id,
    "aria-haspopup": kind,
    "aria-expanded": isOpen,
    "aria-controls": isOpen ? `${id}-dropdown` : undefined,
    onClick: toggle,
  });
  const frame: OverlayFrame | null = target && { id, target, isOpen, onChange };
  return [opener, frame] as const;
}
