/** Page that imports links from another service's export file. */
import { Alert, Anchor, Button, FileInput, Group, Select, Stack, Text, Paper } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { importAccount, type ImportOptions } from "../../../core/imports/plan-import.ts";
import { FORMAT_NAMES, type FormatName, SERVICES } from "../../../core/imports/services.ts";
import { configQuery, useAccount } from "../../api/account.ts";
import { useApi } from "../../api/client.ts";
import { domainsQuery, useActiveDomainNames, useDomainSetting } from "../../api/domains.ts";
import { Hint, PlainButton, SmallButton } from "../../components/buttons.tsx";
import { CardTable, clamped } from "../../components/card-table.tsx";
import { FormDraft, FormError } from "../../components/form.tsx";
import { FilePicker } from "../../components/inputs.tsx";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { Page } from "../../components/page.tsx";
import { ScrollRegion } from "../../components/refused-list.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { importTexts as texts } from "../../texts/import.ts";
import { ImportResult, ImportStatus } from "./import-result.tsx";
import type { Preview } from "./import-worker.ts";
import classes from "./import.module.css";
import { SettingsForm } from "./settings-form.tsx";
import { useImport } from "./use-import.ts";

const ACCEPTED_FILES = ".csv,.tsv,.txt,.json,.ndjson,.sql";

const DEFAULT_OPTIONS: ImportOptions = {
  domain: null,
  domains: new Map(),
  withoutRules: false,
  withoutPasswords: false,
  forwardQuery: false,
  handOver: false,
  update: false,
};

export default function Import() {
  const { mode } = useApi();
  return (
    <Page
      title={texts.title}
      description={mode === "test" ? `${texts.description} ${texts.testMode}` : texts.description}
    >
      {/* Keyed by mode: a file meant for test links must not create live ones. */}
      <ImportOfMode key={mode} />
    </Page>
  );
}

function ImportOfMode() {
  const { account, error, retry } = useImportAccount();
  const domains = useActiveDomainNames();
  const [options, setOptions] = useState(DEFAULT_OPTIONS);
  const [clicks, setClicks] = useState<File | null>(null);
  const { chosen, isReading, summary, unreadable, preview, running, ...actions } = useImport(account, options);
  const isDryRun = running.variables?.isDryRun ?? false;
  const isChanging = running.isPending && !isDryRun;
  useLeavingGuard(isChanging, texts.leaving);

  // Options without a file stay stored, but are not shown: leaving must not ask about them.
  const shown = chosen ? options : DEFAULT_OPTIONS;
  const draft = useDraft({
    form: "import",
    // Drafts are JSON, which has no maps.
    initial: { ...DEFAULT_OPTIONS, domains: {} },
    values: { ...shown, domains: Object.fromEntries(shown.domains) },
    restore: ({ domains: chosenDomains = {}, ...others }) =>
      setOptions((before) => ({ ...before, ...others, domains: new Map(Object.entries(chosenDomains)) })),
  });
  const start = () => {
    draft.done();
    actions.run(false, clicks);
  };

  const choose = (file: File, format: FormatName | null = null) => {
    // The options of an earlier visit are for the first file.
    if (chosen) setOptions(DEFAULT_OPTIONS);
    setClicks(null);
    actions.choose(file, format);
  };

  if (running.isPending) return <ImportStatus status={actions.status} isDryRun={isDryRun} onCancel={actions.cancel} />;
  if (running.data && summary) {
    return (
      <ImportResult
        report={running.data}
        isDryRun={isDryRun}
        unit={summary.unit}
        onBack={running.reset}
        onImport={start}
      />
    );
  }
  return (
    <Stack>
      <Anchor href="/docs/moving-in" target="_blank" size="sm">
        {texts.guide}
      </Anchor>
      <FileDrop file={chosen?.file} isReading={isReading} onFile={choose} />
      {unreadable && (
        <Alert color="red" title={texts.unreadable} role="alert">
          {unreadable.problem}
        </Alert>
      )}
      {chosen && (summary ?? unreadable?.isOtherFormat) && (
        <Select
          label={texts.format}
          description={summary && !chosen.format && texts.recognized}
          placeholder={texts.chooseFormat}
          data={FORMAT_NAMES.map((name) => ({ value: name, label: SERVICES[name].title }))}
          value={summary?.format ?? chosen.format}
          onChange={(format) => format && choose(chosen.file, format)}
          maw="20rem"
        />
      )}
      {summary && !account && (error ? <ErrorState error={error} retry={retry} /> : <ListSkeleton rows={3} />)}
      {summary && <FormDraft draft={draft} />}
      {summary && account && (
        <SettingsForm
          summary={summary}
          options={options}
          onChange={(change) => setOptions((before) => ({ ...before, ...change }))}
          domains={domains}
          isPremium={account.plan === "premium"}
        />
      )}
      {summary && SERVICES[summary.format].clicks && (
        <FileInput
          label={texts.clicks}
          description={texts.clicksHint}
          placeholder={texts.chooseClicks}
          accept={ACCEPTED_FILES}
          clearable
          clearButtonProps={{ "aria-label": texts.removeClicks }}
          value={clicks}
          onChange={setClicks}
          maw="28rem"
        />
      )}
      {summary && summary.clicks > 0 && <Hint>{texts.sums(summary.clicks)}</Hint>}
      {summary && preview && (
        <>
          {preview.caseCollisions.map((domain) => (
            <CaseCollisions key={domain} domain={domain} />
          ))}
          <ImportPreview preview={preview} unit={summary.unit} />
          <Group justify="flex-end">
            <PlainButton disabled={preview.ready === 0} onClick={() => actions.run(true, clicks)}>
              {texts.check}
            </PlainButton>
            <Button disabled={preview.ready === 0} onClick={start}>
              {texts.start(preview.ready)}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** What the plan needs to know; null until it is loaded. */
function useImportAccount() {
  const { mode } = useApi();
  const { data: account } = useAccount();
  const config = useQuery(configQuery);
  const domains = useQuery(domainsQuery(mode));
  const known = useMemo(
    () =>
      account && config.data && domains.data
        ? importAccount(account.plan, config.data.short_domains[mode], domains.data)
        : null,
    [account, config.data, domains.data, mode],
  );
  return {
    account: known,
    error: config.error ?? domains.error,
    retry: () => [config, domains].forEach((query) => query.error && void query.refetch()),
  };
}

/** The first links of the file, with the outcome for each. On a phone, each is a card. */
function ImportPreview({ preview, unit }: { preview: Preview; unit: "line" | "entry" }) {
  const { rows, ready, refused } = preview;
  const state = texts.previewState(ready, refused);
  return (
    <section aria-label={texts.preview}>
      <Text size="sm" fw={500} mb={4} role="status">
        {state}. {ready + refused > rows.length && texts.firstShown(rows.length, refused > 0)}
      </Text>
      <ScrollRegion label={texts.preview} mah={360}>
        <CardTable
          withTableBorder
          striped
          fz="sm"
          rows={rows}
          keyOf={(_, index) => index}
          columns={[
            { name: texts.place[unit], cell: ({ at }) => at },
            { name: texts.source, cell: ({ source }) => clamped(source) },
            {
              name: texts.target,
              cell: ({ target, problem }) =>
                problem === "" ? clamped(target) : <span className={classes.problem}>{problem}</span>,
            },
            { name: texts.destination, cell: ({ url }) => clamped(url) },
          ]}
        />
      </ScrollRegion>
    </section>
  );
}

/** Offers case-sensitive slugs for a domain if the file has slugs that differ only in case. */
function CaseCollisions({ domain }: { domain: string }) {
  const { mode } = useApi();
  const { data: domains = [] } = useQuery(domainsQuery(mode));
  const change = useDomainSetting(domains.find((each) => each.domain === domain)?.id ?? "", "case_sensitive");
  return (
    <Alert color="yellow" title={texts.caseTitle(readableHost(domain))}>
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{texts.caseHint}</Text>
        <FormError error={change.error} />
        <SmallButton loading={change.isPending} onClick={() => change.mutate(true)}>
          {texts.makeCaseSensitive}
        </SmallButton>
      </Stack>
    </Alert>
  );
}

interface FileDropProps {
  file: File | undefined;
  isReading: boolean;
  onFile: (file: File) => void;
}

/** Selects an export file, which can also be dropped anywhere on the page. */
function FileDrop({ file, isReading, onFile }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  useWindowEvent("dragover", (event) => {
    event.preventDefault();
    setIsOver(true);
  });
  useWindowEvent("dragleave", ({ relatedTarget }) => relatedTarget === null && setIsOver(false));
  useWindowEvent("drop", (event) => {
    // Otherwise the browser would open the file in place of the page.
    event.preventDefault();
    setIsOver(false);
    const dropped = event.dataTransfer?.files[0];
    if (dropped) onFile(dropped);
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
        <Hint ta="center">{texts.services}</Hint>
        <FilePicker accept={ACCEPTED_FILES} onFile={onFile}>
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
        </FilePicker>
      </Stack>
    </Paper>
  );
}
