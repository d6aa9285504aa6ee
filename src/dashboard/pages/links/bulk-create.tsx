/** Creates many links from pasted lines or a CSV file: preview, progress, and refused lines to retry. */
import { Modal } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";

import { useApi } from "../../api/client.ts";
import { bulkCreateTexts as texts } from "../../texts/bulk.ts";
import { BulkLinesForm } from "./bulk-lines-form.tsx";
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
