/** What can be done with a link from its row: with the row's menu, or with a key while the row has the focus. */
import { Kbd } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { IconButton } from "../../components/buttons.tsx";
import { isTextField } from "../../components/focus-return.ts";
import { MenuButton } from "../../components/overlay-parts.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { notifyError, notifySuccess } from "../../notifications.ts";
import { linkListTexts as texts } from "../../texts/links.ts";
import { copyTexts } from "../../texts/shell.ts";
import { SWITCHES, SwitchItems, switchesFor, useDeleteLink, useSwitch } from "./switch-actions.tsx";

export interface RowCommands {
  edit: (link: Link) => void;
  duplicate: (link: Link) => void;
  remove: (link: Link) => void;
  /** Selects a link or clears it. @param isRange  with Shift: all from the previously ticked link to this one */
  toggle: (id: string, isRange: boolean) => void;
  filterByTag: (tag: string) => void;
}

/** Returns the same object for each render, so that rows that did not change are not rendered again. */
export function useRowCommands(commands: Omit<RowCommands, "remove">): RowCommands {
  const current = { ...commands, remove: useDeleteLink() };
  const latest = useRef(current);
  useLayoutEffect(() => {
    latest.current = current;
  });
  const [stable] = useState<RowCommands>(() => ({
    edit: (link) => latest.current.edit(link),
    duplicate: (link) => latest.current.duplicate(link),
    remove: (link) => latest.current.remove(link),
    toggle: (id, isRange) => latest.current.toggle(id, isRange),
    filterByTag: (tag) => latest.current.filterByTag(tag),
  }));
  return stable;
}

async function copyShortUrl({ short_url }: Link): Promise<void> {
  try {
    await navigator.clipboard.writeText(short_url);
    notifySuccess(copyTexts.copiedWhat(short_url));
  } catch (error) {
    notifyError(texts.notCopied, error);
  }
}

/** The keys are also named in the list of shortcuts (shell.tsx). */
const hint = (key: string) => (
  <Kbd size="xs" aria-hidden>
    {key}
  </Kbd>
);

export function RowMenu({ link, commands }: { link: Link; commands: RowCommands }) {
  const page = `/links/${link.id}`;
  return (
    <MenuButton width={220} button={<IconButton label={texts.moreFor(linkName(link))} sign={icon("dots", 18)} />}>
      {(Menu) => (
        <>
          <Menu.Item component={RouterLink} to={page} leftSection={icon("chart-bar", 16)}>
            {texts.open}
          </Menu.Item>
          <Menu.Item leftSection={icon("pencil", 16)} rightSection={hint("E")} onClick={() => commands.edit(link)}>
            {texts.edit}
          </Menu.Item>
          <Menu.Item component={RouterLink} to={`${page}?tab=rules`} leftSection={icon("arrows-split-2", 16)}>
            {texts.editRules}
          </Menu.Item>
          <Menu.Item
            leftSection={icon("copy-plus", 16)}
            rightSection={hint("D")}
            onClick={() => commands.duplicate(link)}
          >
            {texts.duplicate}
          </Menu.Item>
          <Menu.Item leftSection={icon("copy", 16)} rightSection={hint("Y")} onClick={() => void copyShortUrl(link)}>
            {texts.copy}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={link.short_url}
            target="_blank"
            rel="noreferrer"
            leftSection={icon("external-link", 16)}
          >
            {texts.visit}
          </Menu.Item>
          <SwitchItems Menu={Menu} link={link} hint={hint} />
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={icon("trash", 16)}
            rightSection={hint("Del")}
            onClick={() => commands.remove(link)}
          >
            {texts.delete}
          </Menu.Item>
        </>
      )}
    </MenuButton>
  );
}

/** Attribute of a row, with the link's id. */
const ROW = "data-link";

const rowOf = (element: EventTarget | null) =>
  element instanceof Element ? element.closest<HTMLElement>(`[${ROW}]`) : null;

function focusRow(row: Element | undefined): void {
  row?.querySelector<HTMLElement>("a")?.focus();
}

/**
 * Keys of the list. They act on the row that has the focus. Ignored in text fields, dialogs and menus.
 * @returns properties of the list's element
 */
export function useRowKeys(links: readonly Link[], commands: RowCommands) {
  const listRef = useRef<HTMLUListElement>(null);
  const change = useSwitch();
  const rows = () => [...(listRef.current?.children ?? [])];
  const act = (key: string, link: Link, isShifted: boolean): boolean => {
    const flipped = switchesFor([link]).find((name) => SWITCHES[name].key.toLowerCase() === key);
    if (key === "x") commands.toggle(link.id, isShifted);
    else if (isShifted) return false;
    else if (key === "e") commands.edit(link);
    else if (key === "d") commands.duplicate(link);
    else if (key === "y") void copyShortUrl(link);
    else if (flipped) change(link, flipped);
    else if (key === "delete" || key === "backspace") commands.remove(link);
    else return false;
    return true;
  };
  useWindowEvent("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTextField(event.target) || document.querySelector("[role=dialog], [role=menu]")) return;
    const key = event.key.toLowerCase();
    const row = rowOf(document.activeElement);
    const link = links.find(({ id }) => id === row?.getAttribute(ROW));
    if (key === "j" || key === "k") {
      const at = row ? rows().indexOf(row) + (key === "j" ? 1 : -1) : 0;
      focusRow(rows()[at]);
      // A key that is held would act on the links that follow, too.
    } else if (event.repeat || !link || !act(key, link, event.shiftKey)) return;
    event.preventDefault();
  });

  // A row that an action removed from the page takes the focus with it: the row that follows gets it.
  const focused = useRef<{ id: string; at: number }>(null);
  useEffect(() => {
    const { id = "", at = 0 } = focused.current ?? {};
    if (id === "" || links.some((link) => link.id === id) || document.activeElement !== document.body) return;
    const row = rows()[Math.min(at, links.length - 1)];
    if (row) focusRow(row);
    else document.querySelector<HTMLElement>("#content h1")?.focus();
  }, [links]);
  const onFocus = (event: { target: EventTarget }) => {
    const row = rowOf(event.target);
    if (row) focused.current = { id: row.getAttribute(ROW) ?? "", at: rows().indexOf(row) };
  };
  return { ref: listRef, onFocus };
}
