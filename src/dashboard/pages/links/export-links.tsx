/** Dialog that exports all matching links to a file. */
import { Button, Group, Loader, Modal, SegmentedControl, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";

import type { DashboardLink } from "../../../core/contract/dashboard.ts";
import type { Link } from "../../../core/contract/links.ts";
import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { PlainButton, SmallButton, WaitHint } from "../../components/buttons.tsx";
import { errorMessage } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { type Wait, withRetries } from "../../api/waits.ts";
import { Notice } from "../../components/states.tsx";
import { downloadFile } from "../../files/download.ts";
import { icon } from "../../icons.tsx";
import { exportTexts as texts } from "../../texts/bulk.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { csvPart, exportFile, type ExportFormat, jsonPart } from "./bulk-csv.ts";
import { isFiltered, linksQuery, type LinksView } from "./links-view.ts";

interface ExportLinksProps {
  view: LinksView;
  /** These instead of all links of the view. */
  selected?: readonly Link[];
  onClose: () => void;
}

export default function ExportLinks({ view, selected, onClose }: ExportLinksProps) {
  const [format, setFormat] = useState<ExportFormat>("csv");
  const links = useExport(view, selected);
  const hasStarted = links.isRunning || links.isDone || Boolean(links.error);
  return (
    <Modal opened onClose={onClose} title={texts.title} closeOnClickOutside={!links.isRunning}>
      <Stack>
        <Text size="sm">
          {selected ? texts.selected(selected.length) : isFiltered(view.filters) ? texts.filtered : texts.all}
        </Text>
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
        <WaitHint wait={links.wait} />
        <Group justify="flex-end">
          <PlainButton onClick={onClose}>{links.isDone ? buttonTexts.done : buttonTexts.cancel}</PlainButton>
          {!hasStarted && (
            <Button leftSection={icon("download", 18)} onClick={() => links.start(format)}>
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
      <Notice
        color="red"
        title={texts.failed(links.count)}
        actions={<SmallButton onClick={links.resume}>{texts.resume}</SmallButton>}
      >
        {errorMessage(links.error)}
      </Notice>
    );
  }
  return (
    <Group gap="xs" role="status">
      {links.isRunning && <Loader size="xs" aria-hidden />}
      <Text size="sm">{(links.isRunning ? texts.reading : texts.saved)(links.count)}</Text>
    </Group>
  );
}

type ExportProgress = ReturnType<typeof newExport>;

/** `count`: links read so far; `cursor`: null before the start and after the end. */
function newExport(format: ExportFormat) {
  return { format, parts: [] as string[], count: 0, cursor: null as string | null };
}

/** Reads all matching links, page by page, into a file. After a failure, `resume` continues with the next page. */
function useExport(view: Pick<LinksView, "filters" | "sort">, selected?: readonly Link[]) {
  const { api } = useApi();
  const [count, setCount] = useState(0);
  const [wait, setWait] = useState<Wait | null>(null);
  const progress = useRef<ExportProgress>(null);
  const run = useAbortableMutation({
    mutationFn: async (current: ExportProgress, signal) => {
      const part = current.format === "csv" ? csvPart : jsonPart;
      if (selected) {
        setCount(selected.length);
        const content = part(selected.map(withoutListMembers), true);
        return downloadFile(`links.${current.format}`, exportFile(current.format, [content]));
      }
      do {
        const { cursor } = current;
        const query = { ...linksQuery(view), limit: String(PAGE_LINKS_MAX), ...(cursor === null ? {} : { cursor }) };
        // A large account has more pages than requests per minute.
        const page = await withRetries(() => unwrap(api.links.$get({ query }, { init: { signal } })), signal, setWait);
        signal.throwIfAborted();
        // A page may be empty even if more follow: the header is written once, with the first links or at the end.
        const links = page.data.map(withoutListMembers);
        if (links.length > 0 || page.next_cursor === null) current.parts.push(part(links, current.count === 0));
        current.count += page.data.length;
        current.cursor = page.next_cursor;
        setCount(current.count);
      } while (current.cursor !== null);
      downloadFile(`links.${current.format}`, exportFile(current.format, current.parts));
    },
  });
  const runFrom = (from: ExportProgress) => {
    progress.current = from;
    run.mutate(from);
  };
  return {
    count,
    isRunning: run.isPending,
    isDone: run.isSuccess,
    error: run.error,
    /** The reason and length of the wait before the next attempt; null if there is none. */
    wait,
    start: (format: ExportFormat) => runFrom(newExport(format)),
    /** Continues after a failure. */
    resume: () => progress.current && runFrom(progress.current),
  };
}

/** Leaves out the members that only the dashboard's list has. */
function withoutListMembers(found: DashboardLink): Link {
  const { clicks: _clicks, revision: _revision, origin: _origin, ...link } = found;
  return link;
}

type LinksExport = ReturnType<typeof useExport>;
