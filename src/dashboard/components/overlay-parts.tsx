/**
 * Buttons of menus and popovers. They work before the code of what they open has loaded (overlays.tsx), which opens as
 * soon as it has. The buttons stay the same elements, so that they keep the focus.
 */
import {
  cloneElement,
  type ComponentProps,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useState,
} from "react";

import { lazyPart } from "./lazy-part.tsx";
import type { OverlayFrame } from "./overlays.tsx";

const loadOverlays = () => import("./overlays.tsx");

export const Overlays = lazyPart(loadOverlays);
const MenuFrame = lazyPart(async () => ({ default: (await loadOverlays()).MenuFrame }), null, "menu");
const PopoverFrame = lazyPart(async () => ({ default: (await loadOverlays()).PopoverFrame }), null, "popover");

interface OverlayButton {
  button: ReactElement<ComponentProps<"button">>;
  onOpen?: () => void;
}

type ButtonOf<Frame extends OverlayFrame> = OverlayButton & Omit<Frame, keyof OverlayFrame>;

export function MenuButton({ button, onOpen, ...menu }: ButtonOf<ComponentProps<typeof MenuFrame>>) {
  return useOverlay("menu", button, onOpen, (frame) => <MenuFrame {...menu} {...frame} />);
}

export function PopoverButton({ button, onOpen, ...popover }: ButtonOf<ComponentProps<typeof PopoverFrame>>) {
  return useOverlay("dialog", button, onOpen, (frame) => <PopoverFrame {...popover} {...frame} />);
}

/** @returns the button, and its overlay once it was opened */
function useOverlay(
  kind: "menu" | "dialog",
  button: OverlayButton["button"],
  onOpen: (() => void) | undefined,
  overlay: (frame: OverlayFrame) => ReactNode,
) {
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
  return (
    <>
      {opener}
      {target && overlay({ id, target, isOpen, onChange })}
    </>
  );
}
