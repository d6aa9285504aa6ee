/** Dialog that saves all links that match as a file. */
import { Alert, Button, Group, Loader, Modal, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";

import { errorMessage } from "../../api/api-error.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { IconDownload } from "../../icons.tsx";
import { exportTexts as texts } from "../../texts/bulk.ts";
import type { ExportFormat } from "./export-rows.ts";
import { isFiltered, type LinksView } from "./links-view.ts";
import { type LinksExport, useExport } from "./use-export.ts";

export default function ExportLinks({ view, onClose }: { view: LinksView; onClose: () => void }) {
  const [format, setFormat] = useState<ExportFormat>("csv");
  const links = useExport(view);
  const hasStarted = links.isRunning || links.isDone || Boolean(links.error);
  return (
    <Modal opened onClose={onClose} title={texts.title} closeOnClickOutside={!links.isRunning}>
      <Stack>
        <Text size="sm">{isFiltered(view.filters) ? texts.filtered : texts.all}</Text>
        <SegmentedControl
          aria-label={texts.format}
          value={format}
          disabled={hasStarted}
          onChange={(chosen) => setFormat(chosen === "json" ? "json" : "csv")}
          data={[
            { value: "csv", label: texts.csv },
            { value: "json", label: texts.json },
          ]}
        />
        {hasStarted && <Progress links={links} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {links.isDone ? texts.done : texts.cancel}
          </Button>
          {!hasStarted && (
            <Button leftSection={<IconDownload size={18} aria-hidden />} onClick={() => links.start(format)}>
              {texts.start}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

function Progress({ links }: { links: LinksExport }) {
  if (links.error) {
    return (
      <Alert color="red" variant="light" role="alert" title={texts.failed(formatCount(links.count))}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{errorMessage(links.error)}</Text>
          <Button size="xs" variant="default" onClick={links.goOn}>
            {texts.goOn}
          </Button>
        </Stack>
      </Alert>
    );
  }
  return (
    <Group gap="xs" role="status">
      {links.isRunning && <Loader size="xs" aria-hidden />}
      <Text size="sm">{(links.isRunning ? texts.reading : texts.saved)(links.count, formatCount(links.count))}</Text>
    </Group>
  );
}
