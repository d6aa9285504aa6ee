/** What opens above a page: menus, popovers, questions, messages. Loaded while the first page is shown (overlay-parts.tsx). */
import "@mantine/notifications/styles.css";

import { Menu, type MenuProps, Modal, Popover, type PopoverProps } from "@mantine/core";
import { modals, ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { type ReactNode, type RefCallback, useEffect, useLayoutEffect, useState } from "react";

import { earlyParts } from "../early-loads.ts";
import { partErrorTexts } from "../texts/shell.ts";
import { showQuestionsWith } from "../notifications.ts";

export default function Overlays() {
  useEffect(() => showQuestionsWith((question) => modals.openConfirmModal(question)), []);
  return (
    <ModalsProvider>
      <Notifications position="bottom-center" />
    </ModalsProvider>
  );
}

export interface OverlayFrame {
  id: string;
  /** The button that opens it, which is rendered elsewhere. */
  target: HTMLElement;
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
}

interface MenuFrameProps extends OverlayFrame, Pick<MenuProps, "width" | "closeOnItemClick"> {
  mah?: number;
  children: (menu: typeof Menu) => ReactNode;
}

export function MenuFrame({ target, isOpen, mah, children, ...menu }: MenuFrameProps) {
  return (
    <Menu {...menu} opened={useOpened(isOpen)}>
      <Menu.Target>
        <Rendered element={target} />
      </Menu.Target>
      <Menu.Dropdown
        maw="calc(100vw - 1rem)"
        style={{ overflowWrap: "anywhere", ...(mah && { maxHeight: mah, overflowY: "auto" }) }}
      >
        {children(Menu)}
      </Menu.Dropdown>
    </Menu>
  );
}

interface PopoverFrameProps extends OverlayFrame, Pick<PopoverProps, "position" | "width"> {
  label: string;
  children: ReactNode;
}

export function PopoverFrame({ target, isOpen, label, children, ...popover }: PopoverFrameProps) {
  return (
    <Popover {...popover} opened={useOpened(isOpen)} trapFocus withArrow>
      <Popover.Target>
        <Rendered element={target} />
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>{isOpen && children}</Popover.Dropdown>
    </Popover>
  );
}

/** Closed in the first render: Mantine notes where to return the focus only when it opens later. */
function useOpened(isOpen: boolean): boolean {
  const [isRendered, setRendered] = useState(false);
  useEffect(() => setRendered(true), []);
  return isRendered && isOpen;
}

/** Takes the place of an element that is rendered elsewhere. */
function Rendered({ element, ref }: { element: HTMLElement; ref?: RefCallback<HTMLElement> }) {
  useLayoutEffect(() => {
    ref?.(element);
  }, [ref, element]);
  return null;
}

export function ErrorDialog({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  return (
    <Modal opened onClose={onClose} title={partErrorTexts.dialog}>
      {children}
    </Modal>
  );
}

earlyParts.set("menu", MenuFrame);
earlyParts.set("popover", PopoverFrame);
earlyParts.set("error-dialog", ErrorDialog);
