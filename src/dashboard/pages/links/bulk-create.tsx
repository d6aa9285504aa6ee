/** Creates many links from pasted lines or a CSV file: preview, progress, and refused lines to retry. */
import { Button, FileButton, Group, Modal, ScrollArea, Stack, Text, Textarea } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useDeferredValue, useMemo, useState } from "react";

import { useApi } from "../../api/client.ts";
import { CardTable, clamped } from "../../components/card-table.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { icon } from "../../icons.tsx";
import { bulkCreateTexts as texts } from "../../texts/bulk.ts";
import { buttonTexts } from "../../texts/shell.ts";
import classes from "./bulk-create.module.css";
import { BULK_LINES_MAX, type BulkLine, CSV_COLUMNS, parseBulkLines } from "./bulk-csv.ts";
import { BulkResults } from "./bulk-results.tsx";
import { useBulkRun } from "./use-bulk-run.ts";

interface BulkCreateProps {
  /** Lines that were pasted. */
  text: string;
  onClose: () => void;
}

export default function BulkCreate({ text, onClose }: BulkCreateProps) {
  const { mode } = useApi();
  const run = useBulkRun();
  const isPhone = useMediaQuery("(max-width: 40em)", undefined, { getInitialValueInEffect: false });
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title[mode]}
      size="xl"
      fullScreen={isPhone}
      closeOnClickOutside={false}
      closeOnEscape={!run.isRunning}
      withCloseButton={!run.isRunning}
    >
      {run.total === 0 ? (
        <BulkLinesForm initialText={text} onStart={run.start} onCancel={onClose} />
      ) : (
        <BulkResults run={run} onClose={onClose} />
      )}
    </Modal>
  );
}

interface BulkLinesFormProps {
  initialText: string;
  onStart: (lines: BulkLine[]) => void;
  onCancel: () => void;
}

/** Lines to create links from: typed, pasted, or read from a file. */
function BulkLinesForm({ initialText, onStart, onCancel }: BulkLinesFormProps) {
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
            <PlainButton leftSection={icon("file-upload", 18)} {...props}>
              {texts.chooseFile}
            </PlainButton>
          )}
        </FileButton>
      </Group>
      {lines.length > 0 && <BulkPreview lines={lines} />}
      <Group justify="flex-end" className={classes.buttons}>
        <PlainButton onClick={onCancel}>{buttonTexts.cancel}</PlainButton>
        <Button disabled={lines.length === 0 || hasTooManyLines || parsedText !== text} onClick={() => onStart(lines)}>
          {texts.create(lines.length)}
        </Button>
      </Group>
    </Stack>
  );
}

const PREVIEW_LINES_MAX = 50;

/** The first links found in the lines. On a phone each is a card, since the columns do not fit. */
function BulkPreview({ lines }: { lines: BulkLine[] }) {
  const columns = CSV_COLUMNS.filter((column) => column === "url" || lines.some(({ link }) => link[column]));
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={500} mb={4} role="status">
        {texts.found(lines.length, PREVIEW_LINES_MAX)}
      </Text>
      <ScrollArea.Autosize
        type="auto"
        mah={240}
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": texts.linksFound }}
      >
        <CardTable
          withTableBorder
          striped
          fz="sm"
          rows={lines.slice(0, PREVIEW_LINES_MAX)}
          keyOf={({ number }) => number}
          columns={[
            { name: texts.line, cell: ({ number }) => number },
            ...columns.map((name) => ({ name, cell: ({ link }: BulkLine) => clamped(link[name]) })),
          ]}
        />
      </ScrollArea.Autosize>
    </section>
  );
}
