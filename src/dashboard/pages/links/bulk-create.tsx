/** Creates many links from pasted lines or a CSV file: preview, progress, and refused lines to retry. */
import {
  Alert,
  Button,
  FileButton,
  Group,
  Modal,
  Progress,
  ScrollArea,
  Stack,
  Table,
  Text,
  Textarea,
} from "@mantine/core";
import { IconDownload, IconFileUpload } from "@tabler/icons-react";
import { useState } from "react";

import { useApi } from "../../api/client.ts";
import {
  CSV_COLUMNS,
  type BulkLine,
  BULK_LINES_MAX,
  parseBulkLines,
  type BulkOutcome,
  resultsCsv,
} from "./bulk-csv.ts";
import { downloadFile } from "./download-file.ts";
import { type BulkRun, isRefused, useBulkRun } from "./use-bulk-run.ts";

const PREVIEW_LINES_MAX = 50;
const SHOWN_ERRORS_MAX = 200;

export default function BulkCreate({ onClose }: { onClose: () => void }) {
  const { mode } = useApi();
  const run = useBulkRun();
  return (
    <Modal
      opened
      onClose={onClose}
      title={mode === "test" ? "Create many test links" : "Create many links"}
      size="xl"
      closeOnClickOutside={false}
      closeOnEscape={!run.isRunning}
      withCloseButton={!run.isRunning}
    >
      {run.total === 0 ? (
        <LinesForm onStart={run.start} onCancel={onClose} />
      ) : (
        <BulkResults run={run} onClose={onClose} />
      )}
    </Modal>
  );
}

function LinesForm({ onStart, onCancel }: { onStart: (lines: BulkLine[]) => void; onCancel: () => void }) {
  const [text, setText] = useState("");
  const [fileError, setFileFault] = useState<string>();
  const lines = parseBulkLines(text);
  const hasTooManyLines = lines.length > BULK_LINES_MAX;
  const readFile = async (file: File | null) => {
    if (!file) return;
    try {
      setText(await file.text());
      setFileFault(undefined);
    } catch {
      setFileFault("This file could not be read");
    }
  };
  return (
    <Stack>
      <Textarea
        label="Links"
        description="One link a line: destination, or destination, slug, domain, expiry. A first line with these names chooses the columns: url, slug, domain, expires_at."
        placeholder={"https://example.com/a\nhttps://example.com/b, b"}
        minRows={6}
        maxRows={12}
        autosize
        data-autofocus
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={hasTooManyLines ? `At most ${BULK_LINES_MAX} links at a time` : fileError}
      />
      <Group>
        <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button variant="default" leftSection={<IconFileUpload size={18} aria-hidden />} {...props}>
              Choose a CSV file
            </Button>
          )}
        </FileButton>
      </Group>
      {lines.length > 0 && <LinesPreview lines={lines} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button disabled={lines.length === 0 || hasTooManyLines} onClick={() => onStart(lines)}>
          Create {lines.length > 0 ? linkCount(lines.length) : "links"}
        </Button>
      </Group>
    </Stack>
  );
}

function LinesPreview({ lines }: { lines: BulkLine[] }) {
  const columns = CSV_COLUMNS.filter((column) => column === "url" || lines.some(({ link }) => link[column]));
  return (
    <section aria-label="Preview">
      <Text size="sm" fw={500} mb={4} role="status">
        {linkCount(lines.length)} found
        {lines.length > PREVIEW_LINES_MAX && `, the first ${PREVIEW_LINES_MAX} are shown`}
      </Text>
      <ScrollArea.Autosize mah={220} viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Links found" }}>
        <Table withTableBorder striped fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Line</Table.Th>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.slice(0, PREVIEW_LINES_MAX).map(({ number, link }) => (
              <Table.Tr key={number}>
                <Table.Td>{number}</Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column} style={{ overflowWrap: "anywhere" }}>
                    {link[column]}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </section>
  );
}

function BulkResults({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { outcomes, total, isRunning } = run;
  const refused = outcomes.filter(isRefused);
  const created = outcomes.length - refused.length;
  return (
    <Stack>
      <Progress.Root size="xl">
        <Progress.Section
          value={(outcomes.length / total) * 100}
          animated={isRunning}
          aria-label="Links done"
          aria-valuetext={`${outcomes.length} of ${total}`}
        />
      </Progress.Root>
      <Text role="status">
        {isRunning ? `${outcomes.length} of ${total} done` : `${linkCount(created)} created`}
        {refused.length > 0 && `, ${refused.length} refused`}
        {!isRunning && outcomes.length < total && `, ${total - outcomes.length} not sent`}
      </Text>
      {refused.length > 0 && <RefusedLines outcomes={refused} />}
      <Group justify="flex-end">
        {isRunning ? (
          <Button variant="default" onClick={run.stop}>
            Stop
          </Button>
        ) : (
          <>
            {refused.length > 0 && (
              <Button variant="default" onClick={run.retry}>
                Try the refused again
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconDownload size={18} aria-hidden />}
              onClick={() => downloadFile("links.csv", new Blob([resultsCsv(outcomes)], { type: "text/csv" }))}
            >
              Download results
            </Button>
            <Button onClick={onClose}>Done</Button>
          </>
        )}
      </Group>
    </Stack>
  );
}

function RefusedLines({ outcomes }: { outcomes: readonly BulkOutcome[] }) {
  return (
    <Alert color="red" title="Refused">
      <ScrollArea.Autosize mah={220} viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Refused lines" }}>
        <Stack component="ul" gap="xs" m={0} pl="md">
          {outcomes.slice(0, SHOWN_ERRORS_MAX).map(({ line, result }) => (
            <Text key={line.number} component="li" size="sm" style={{ overflowWrap: "anywhere" }}>
              Line {line.number}, {line.link.url || "no url"}: {"error" in result && result.error}
            </Text>
          ))}
          {outcomes.length > SHOWN_ERRORS_MAX && (
            <Text component="li" size="sm">
              and {outcomes.length - SHOWN_ERRORS_MAX} more, all in the download
            </Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
    </Alert>
  );
}

function linkCount(count: number): string {
  return count === 1 ? "1 link" : `${count} links`;
}
