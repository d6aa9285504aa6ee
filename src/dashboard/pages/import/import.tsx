/** Page that imports links from another service's export file. */
import { Alert, Anchor, Button, Group, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";

import type { ImportAccount } from "../../../core/imports/plan-import.ts";
import { FORMAT_NAMES, type FormatName } from "../../../core/imports/source-link.ts";
import { configQuery, useAccount } from "../../api/account.ts";
import { errorMessage } from "../../api/api-error.ts";
import { useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { Page } from "../../components/page.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { importTexts as texts } from "../../texts/import.ts";
import { FileDrop } from "./file-drop.tsx";
import { CaseCollisions, ImportPreview } from "./import-preview.tsx";
import { ImportProgress, ImportResult } from "./import-result.tsx";
import { DEFAULT_SETTINGS, SettingsForm, toOptions } from "./settings-form.tsx";
import { useImport } from "./use-import.ts";

export default function Import() {
  const { mode } = useApi();
  return (
    <Page
      title={texts.title}
      description={mode === "test" ? `${texts.description} ${texts.testMode}` : texts.description}
    >
      {/* Keyed by mode: a file that was meant for test links must not become live ones. */}
      <ImportOfMode key={mode} />
    </Page>
  );
}

function ImportOfMode() {
  const state = useImport();
  const { account, error: accountError, retry } = useImportAccount();
  const [settings, setSettings] = useState(DEFAULT_SETTINGS);
  const options = useMemo(() => toOptions(settings), [settings]);
  const { summary, report, isRunning, preview, unreadable } = state;
  const isChanging = isRunning && !state.isDryRun;
  useLeavingGuard({ isActive: isChanging, asksOnClose: isChanging, texts: texts.leaving });

  const { showPreview } = state;
  useEffect(() => {
    if (summary && account) showPreview(options, account);
    // The function tells the worker, which stays the same.
  }, [summary, account, options]);

  const chooseFile = (file: File, format: FormatName | null = null) => {
    setSettings(DEFAULT_SETTINGS);
    state.choose(file, format);
  };
  const run = (isDryRun: boolean) => account && state.run(options, account, isDryRun);

  if (isRunning) return <ImportProgress state={state} onCancel={state.cancel} />;
  if (report && summary) {
    return (
      <ImportResult
        report={report}
        isDryRun={state.isDryRun}
        unit={summary.unit}
        onBack={state.closeReport}
        onImport={() => run(false)}
      />
    );
  }
  return (
    <Stack>
      <Anchor href="/docs/moving-in" target="_blank" size="sm">
        {texts.guide}
      </Anchor>
      <FileDrop file={state.file} isReading={state.isReading} onFile={chooseFile} />
      {unreadable && (
        <Alert color="red" title={texts.unreadable} role="alert">
          {unreadable.problem}
        </Alert>
      )}
      {(summary ?? unreadable?.isOtherFormat) && (
        <FormatSelect
          format={summary?.format ?? state.format}
          isRecognized={summary !== null && state.format === null}
          onChange={(format) => state.file && chooseFile(state.file, format)}
        />
      )}
      {summary &&
        !account &&
        (accountError ? <ErrorState error={accountError} retry={retry} /> : <ListSkeleton rows={3} />)}
      {summary && account && (
        <SettingsForm
          summary={summary}
          settings={settings}
          onChange={(change) => setSettings((before) => ({ ...before, ...change }))}
          domains={usableDomains(account)}
          isPremium={account.plan === "premium"}
        />
      )}
      {summary && preview?.caseCollisions.map((domain) => <CaseCollisions key={domain} domain={domain} />)}
      {summary && preview && <ImportPreview preview={preview} unit={summary.unit} />}
      {state.error !== null && (
        <Alert color="red" title={texts.failed} role="alert">
          {errorMessage(state.error)}
        </Alert>
      )}
      {summary && preview && (
        <Group justify="flex-end">
          <Button variant="default" disabled={preview.ready === 0} onClick={() => run(true)}>
            {texts.check}
          </Button>
          <Button disabled={preview.ready === 0} onClick={() => run(false)}>
            {texts.start(preview.ready, formatCount(preview.ready))}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface FormatSelectProps {
  /** Null: it was not recognized. */
  format: FormatName | null;
  isRecognized: boolean;
  onChange: (format: FormatName) => void;
}

function FormatSelect({ format, isRecognized, onChange }: FormatSelectProps) {
  return (
    <Select
      label={texts.format}
      description={isRecognized && texts.recognized}
      placeholder={texts.chooseFormat}
      data={FORMAT_NAMES.map((name) => ({ value: name, label: texts.formats[name] }))}
      value={format}
      onChange={(name) => {
        const chosen = FORMAT_NAMES.find((each) => each === name);
        if (chosen) onChange(chosen);
      }}
      allowDeselect={false}
      maw="20rem"
    />
  );
}

/** What the plan must know; null until it is loaded. */
function useImportAccount(): { account: ImportAccount | null; error: Error | null; retry: () => void } {
  const { mode } = useApi();
  const { data: account } = useAccount();
  const settings = useQuery(configQuery);
  const ownDomains = useQuery(domainsQuery(mode));
  const { data: config } = settings;
  const { data: domains } = ownDomains;
  const known = useMemo(() => {
    if (!account || !config || !domains) return null;
    return {
      plan: account.plan,
      defaultDomain: config.short_domains[mode],
      domains: new Map(domains.map(({ domain, status }) => [domain, status])),
      caseSensitive: new Set(domains.flatMap(({ domain, case_sensitive }) => (case_sensitive ? [domain] : []))),
    };
  }, [account, config, domains, mode]);
  return {
    account: known,
    error: settings.error ?? ownDomains.error,
    retry: () => [settings, ownDomains].forEach((query) => query.error && void query.refetch()),
  };
}

function usableDomains({ defaultDomain, domains }: ImportAccount): string[] {
  const active = [...domains].flatMap(([domain, status]) => (status === "active" ? [domain] : []));
  return [defaultDomain, ...active];
}
