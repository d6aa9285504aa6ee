/** The menu that saves the numbers of a card as CSV, and the card as PNG. */
import { Menu } from "@mantine/core";
import { type ReactNode, useRef } from "react";

import { IconButton } from "../../../components/buttons.tsx";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { downloadCard } from "./downloads.ts";

interface CardDownloadsProps {
  /** Of the card. */
  name: string;
  /** Of the picture's file, without its ending. */
  file: string;
  /** Undefined while there are no numbers. */
  saveCsv: (() => Promise<void>) | undefined;
  /** More items. */
  children?: ReactNode;
}

export function CardDownloads({ name, file, saveCsv, children }: CardDownloadsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const savePicture = () => {
    const card = button.current?.closest("section");
    if (card) void downloadCard(file, card);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton
          ref={button}
          color="brand"
          data-not-in-image
          label={texts.downloadCard(name)}
          sign={icon("download", 16)}
          disabled={saveCsv === undefined}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void saveCsv?.()}>{texts.saveCsv}</Menu.Item>
        <Menu.Item onClick={savePicture}>{texts.savePicture}</Menu.Item>
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
