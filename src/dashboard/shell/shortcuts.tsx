/**
 * Keyboard shortcuts of every page, the command palette, and the list of shortcuts. None acts while somebody types in a
 * field or a dialog is open.
 */
import { ActionIcon, Group, Kbd, Modal, Stack, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useState } from "react";
import { useLocation } from "wouter";

import { lazyPart } from "../components/lazy-part.tsx";
import { SmallButton } from "../components/buttons.tsx";
import { icon } from "../icons.tsx";
import { shortcutTexts as texts } from "../texts/shell.ts";
import classes from "./shell.module.css";

const CommandPalette = lazyPart(() => import("./command-palette.tsx"));

const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

const SHORTCUTS = [
  { key: PALETTE_KEY, effect: texts.palette },
  { key: "/", effect: texts.search },
  { key: "C", effect: texts.create },
  { key: "?", effect: texts.list },
];

export function Shortcuts() {
  const [, navigate] = useLocation();
  const [openings, setOpenings] = useState(0);
  const [isListed, setListed] = useState(false);
  const openPalette = () => setOpenings((count) => count + 1);
  const search = () => {
    const field = document.querySelector<HTMLInputElement>("#content search input");
    if (field) field.focus();
    else openPalette();
  };
  useHotkeys([
    ["mod+K", unlessDialog(openPalette)],
    ["/", unlessDialog(search)],
    ["C", unlessDialog(() => navigate("/links?dialog=link"))],
    ["shift+?", unlessDialog(() => setListed(true))],
    ["?", unlessDialog(() => setListed(true))],
  ]);
  return (
    <>
      <SmallButton
        onClick={openPalette}
        className={classes.search ?? ""}
        leftSection={icon("search", 16)}
        rightSection={<Kbd size="xs">{PALETTE_KEY}</Kbd>}
        visibleFrom="sm"
      >
        {texts.palette}
      </SmallButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={openPalette}
        aria-label={texts.palette}
        hiddenFrom="sm"
      >
        {icon("search")}
      </ActionIcon>
      {openings > 0 && <CommandPalette openings={openings} />}
      <Modal opened={isListed} onClose={() => setListed(false)} title={texts.title} size="sm">
        <Stack gap="xs">
          {SHORTCUTS.map(({ key, effect }) => (
            <Group key={key} justify="space-between">
              <Text size="sm">{effect}</Text>
              <Kbd>{key}</Kbd>
            </Group>
          ))}
        </Stack>
      </Modal>
    </>
  );
}

function unlessDialog(act: () => void): () => void {
  return () => {
    if (!document.querySelector("[role=dialog]")) act();
  };
}
