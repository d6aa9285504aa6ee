/** Where an export file is dropped or chosen. */
import { Button, FileButton, Paper, Stack, Text } from "@mantine/core";
import { type DragEvent, useEffect, useState } from "react";

import { icon } from "../../icons.tsx";
import { importTexts as texts } from "../../texts/import.ts";
import classes from "./import.module.css";

interface FileDropProps {
  file: File | null;
  isReading: boolean;
  onFile: (file: File) => void;
}

export function FileDrop({ file, isReading, onFile }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  useNothingOpened();
  const drag = (isHere: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setIsOver(isHere);
  };
  const drop = (event: DragEvent) => {
    drag(false)(event);
    const dropped = event.dataTransfer.files[0];
    if (dropped) onFile(dropped);
  };
  return (
    <Paper
      component="section"
      aria-label={texts.file}
      withBorder
      p="lg"
      className={classes.drop ?? ""}
      data-over={isOver || undefined}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={drop}
    >
      <Stack align="center" gap="xs">
        <Text fw={500} ta="center" style={{ overflowWrap: "anywhere" }} role="status">
          {isReading ? texts.reading : (file?.name ?? texts.drop)}
        </Text>
        <Text size="sm" c="dimmed" ta="center">
          {texts.services}
        </Text>
        {/* Cleared after each choice, so that the same file can be chosen again after it was edited. */}
        <ClearedFileButton isFirst={file === null} isReading={isReading} onFile={onFile} />
      </Stack>
    </Paper>
  );
}

/** A file that is dropped beside the area would be opened by the browser in place of the page. */
function useNothingOpened(): void {
  useEffect(() => {
    const prevent = (event: Event) => event.preventDefault();
    window.addEventListener("dragover", prevent);
    window.addEventListener("drop", prevent);
    return () => {
      window.removeEventListener("dragover", prevent);
      window.removeEventListener("drop", prevent);
    };
  }, []);
}

function ClearedFileButton({
  isFirst,
  isReading,
  onFile,
}: {
  isFirst: boolean;
  isReading: boolean;
  onFile: (file: File) => void;
}) {
  const [times, setTimes] = useState(0);
  return (
    <FileButton
      key={times}
      accept=".csv,.tsv,.txt,.json,.ndjson,.sql"
      onChange={(chosen) => {
        if (!chosen) return;
        setTimes(times + 1);
        onFile(chosen);
      }}
    >
      {(props) => (
        <Button
          variant={isFirst ? "filled" : "default"}
          loading={isReading}
          leftSection={icon("file-upload", 18)}
          {...props}
        >
          {isFirst ? texts.choose : texts.chooseOther}
        </Button>
      )}
    </FileButton>
  );
}
