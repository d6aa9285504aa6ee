/** Where an export file is chosen. It may be dropped anywhere on the page. */
import { Button, FileButton, Paper, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useRef, useState } from "react";

import { icon } from "../../icons.tsx";
import { importTexts as texts } from "../../texts/import.ts";
import classes from "./import.module.css";

interface FileDropProps {
  file: File | undefined;
  isReading: boolean;
  onFile: (file: File) => void;
}

export function FileDrop({ file, isReading, onFile }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const clear = useRef<() => void>(null);
  const choose = (chosen: File | null | undefined) => {
    // So that the same file can be chosen again after it was edited.
    clear.current?.();
    if (chosen) onFile(chosen);
  };
  useWindowEvent("dragover", (event) => {
    event.preventDefault();
    setIsOver(true);
  });
  useWindowEvent("dragleave", ({ relatedTarget }) => relatedTarget === null && setIsOver(false));
  useWindowEvent("drop", (event) => {
    // The browser would open the file in place of the page.
    event.preventDefault();
    setIsOver(false);
    choose(event.dataTransfer?.files[0]);
  });
  return (
    <Paper
      component="section"
      aria-label={texts.file}
      withBorder
      p="lg"
      className={classes.drop ?? ""}
      data-over={isOver || undefined}
    >
      <Stack align="center" gap="xs">
        <Text fw={500} ta="center" style={{ overflowWrap: "anywhere" }} role="status">
          {isReading ? texts.reading : (file?.name ?? texts.drop)}
        </Text>
        <Text size="sm" c="dimmed" ta="center">
          {texts.services}
        </Text>
        <FileButton resetRef={clear} accept=".csv,.tsv,.txt,.json,.ndjson,.sql" onChange={choose}>
          {(props) => (
            <Button
              variant={file ? "default" : "filled"}
              loading={isReading}
              leftSection={icon("file-upload", 18)}
              {...props}
            >
              {file ? texts.chooseOther : texts.choose}
            </Button>
          )}
        </FileButton>
      </Stack>
    </Paper>
  );
}
