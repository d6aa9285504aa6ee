/** Lines to create links from: typed, pasted, or read from a file. */
import { Button, FileButton, Group, Stack, Textarea } from "@mantine/core";
import { useDeferredValue, useMemo, useState } from "react";

import { IconFileUpload } from "../../icons.tsx";
import { bulkCreateTexts as texts } from "../../texts/bulk.ts";
import { type BulkLine, BULK_LINES_MAX, parseBulkLines } from "./bulk-csv.ts";
import { BulkPreview } from "./bulk-preview.tsx";
import classes from "./bulk-create.module.css";

interface BulkLinesFormProps {
  initialText: string;
  onStart: (lines: BulkLine[]) => void;
  onCancel: () => void;
}

export function BulkLinesForm({ initialText, onStart, onCancel }: BulkLinesFormProps) {
  const [text, setText] = useState(initialText);
  const [fileError, setFileError] = useState<string>();
  // Thousands of lines take longer to parse than a keystroke may.
  const parsedText = useDeferredValue(text);
  const lines = useMemo(() => parseBulkLines(parsedText), [parsedText]);
  const hasTooManyLines = lines.length > BULK_LINES_MAX;
  const readFile = async (file: File | null) => {
    if (!file) return;
    try {
      setText(await file.text());
      setFileError(undefined);
    } catch {
      setFileError(texts.unreadableFile);
    }
  };
  return (
    <Stack>
      <Textarea
        label={texts.links}
        description={texts.linksHint}
        placeholder={"https://example.com/a\nhttps://example.com/b, b"}
        minRows={4}
        maxRows={12}
        autosize
        data-autofocus
        classNames={{ input: classes.lines ?? "" }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={hasTooManyLines ? texts.tooMany(BULK_LINES_MAX) : fileError}
      />
      <Group>
        <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button variant="default" leftSection={<IconFileUpload size={18} aria-hidden />} {...props}>
              {texts.chooseFile}
            </Button>
          )}
        </FileButton>
      </Group>
      {lines.length > 0 && <BulkPreview lines={lines} />}
      <Group justify="flex-end" className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>
          {texts.cancel}
        </Button>
        <Button disabled={lines.length === 0 || hasTooManyLines || parsedText !== text} onClick={() => onStart(lines)}>
          {texts.create(lines.length)}
        </Button>
      </Group>
    </Stack>
  );
}
