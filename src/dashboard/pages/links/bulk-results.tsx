/** Progress of a bulk run, then its outcome. */
import { Alert, Button, Group, Progress, ScrollArea, Stack, Text } from "@mantine/core";

import { icon } from "../../icons.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { bulkCreateTexts as texts } from "../../texts/bulk.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { type LineOutcome, resultsCsv } from "./bulk-csv.ts";
import { downloadFile } from "../../files/download.ts";
import { type BulkRun, isRefused } from "./use-bulk-run.ts";

const SHOWN_ERRORS_MAX = 200;

export function BulkResults({ run, onClose }: { run: BulkRun; onClose: () => void }) {
  const { outcomes, total, isRunning, wait } = run;
  const refused = outcomes.filter(isRefused);
  const saveResults = () =>
    downloadFile("created-links.csv", new Blob([resultsCsv(outcomes)], { type: "text/csv;charset=utf-8" }));
  return (
    <Stack>
      <Progress.Root size="xl">
        <Progress.Section
          value={(outcomes.length / total) * 100}
          animated={isRunning}
          aria-label={texts.linksDone}
          aria-valuetext={texts.progress(outcomes.length, total)}
        />
      </Progress.Root>
      <Text role="status">{statusText(run, refused.length)}</Text>
      {wait && <Text c="dimmed">{texts.waiting(wait.reason, wait.seconds)}</Text>}
      {refused.length > 0 && <RefusedLines outcomes={refused} />}
      <Group justify="flex-end">
        {isRunning ? (
          <PlainButton onClick={run.stop}>{texts.stop}</PlainButton>
        ) : (
          <>
            {refused.length > 0 && <PlainButton onClick={run.retry}>{texts.retry}</PlainButton>}
            <PlainButton leftSection={icon("download", 18)} onClick={saveResults}>
              {texts.download}
            </PlainButton>
            <Button onClick={onClose}>{buttonTexts.done}</Button>
          </>
        )}
      </Group>
    </Stack>
  );
}

function statusText({ outcomes, total, isRunning }: BulkRun, refused: number): string {
  const created = outcomes.length - refused;
  const parts = [isRunning ? texts.progress(outcomes.length, total) : texts.created(created)];
  if (refused > 0) parts.push(texts.refused(refused));
  if (!isRunning && outcomes.length < total) parts.push(texts.notSent(total - outcomes.length));
  return parts.join(", ");
}

function RefusedLines({ outcomes }: { outcomes: readonly LineOutcome[] }) {
  return (
    <Alert color="red" title={texts.refusedTitle}>
      <ScrollArea.Autosize mah={220} viewportProps={{ tabIndex: 0, role: "region", "aria-label": texts.refusedLines }}>
        <Stack component="ul" gap="xs" m={0} pl="md">
          {outcomes.slice(0, SHOWN_ERRORS_MAX).map(({ line, result }) => (
            <Text key={line.number} component="li" size="sm" style={{ overflowWrap: "anywhere" }}>
              {texts.refusedLine(line.number, clamp(line.link.url))} {"error" in result && result.error}
            </Text>
          ))}
          {outcomes.length > SHOWN_ERRORS_MAX && (
            <Text component="li" size="sm">
              {texts.moreRefused(outcomes.length - SHOWN_ERRORS_MAX)}
            </Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
    </Alert>
  );
}

const SHOWN_URL_MAX_CHARS = 120;

/** The download has the whole URL. */
function clamp(url: string): string {
  return url.length > SHOWN_URL_MAX_CHARS ? `${url.slice(0, SHOWN_URL_MAX_CHARS)}…` : url;
}
