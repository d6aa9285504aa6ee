/** Saves all data of the account as one file. */
import { Group, Loader, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

import { useSingleMutation } from "../../api/mutations.ts";
import { Hint, SmallButton } from "../../components/buttons.tsx";
import { TitledCard } from "../../components/card.tsx";
import { loadPart } from "../../components/lazy-part.tsx";
import { ErrorState } from "../../components/states.tsx";
import { downloadFile } from "../../files/download.ts";
import { icon } from "../../icons.tsx";
import { accountExportTexts as texts } from "../../texts/settings.ts";
import { buttonTexts } from "../../texts/shell.ts";
import type { ExportCounts } from "./account-export.ts";

export function ExportAccount() {
  const [counts, setCounts] = useState<ExportCounts>();
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const abort = useRef<AbortController>(null);
  // Leaving the page cancels.
  useEffect(() => () => abort.current?.abort(), []);
  const run = useSingleMutation({
    mutationFn: async () => {
      const { signal } = (abort.current = new AbortController());
      setCounts(undefined);
      const { exportAccount } = await loadPart(() => import("./account-export.ts"));
      const archive = await exportAccount({ signal, onProgress: setCounts, onWait: setWaitingFor });
      signal.throwIfAborted();
      downloadFile(texts.file(new Date().toISOString().slice(0, 10)), archive);
    },
    onSettled: () => setWaitingFor(null),
  });
  const isCanceled = run.isError && abort.current?.signal.aborted;
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        run.isPending ? (
          <SmallButton onClick={() => abort.current?.abort()}>{buttonTexts.cancel}</SmallButton>
        ) : (
          <SmallButton leftSection={icon("download", 16)} onClick={() => run.mutate()}>
            {texts.start}
          </SmallButton>
        )
      }
    >
      {(run.isPending || run.isSuccess) && (
        <Stack gap={4} role="status">
          <Group gap="xs">
            {run.isPending && <Loader size="xs" aria-hidden />}
            <Text size="sm">{(run.isPending ? texts.reading : texts.saved)(counts)}</Text>
          </Group>
          {waitingFor && <Hint>{texts.waiting(waitingFor)}</Hint>}
        </Stack>
      )}
      {run.isError && !isCanceled && <ErrorState title={texts.failed} error={run.error} retry={() => run.mutate()} />}
    </TitledCard>
  );
}
