/** Page that imports links from another service's export file. */
import { Alert, Anchor, Button, Group, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { importAccount, type ImportOptions } from "../../../core/imports/plan-import.ts";
import { FORMAT_NAMES, type FormatName, SERVICES } from "../../../core/imports/services.ts";
import { configQuery, useAccount } from "../../api/account.ts";
import { useApi } from "../../api/client.ts";
import { domainsQuery, useActiveDomainNames } from "../../api/domains.ts";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { Page } from "../../components/page.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { importTexts as texts } from "../../texts/import.ts";
import { FileDrop } from "./file-drop.tsx";
import { CaseCollisions, ImportPreview } from "./import-preview.tsx";
import { ImportResult, ImportStatus } from "./import-result.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { useImport } from "./use-import.ts";

const DEFAULT_OPTIONS: ImportOptions = {
  domain: null,
  domains: new Map(),
  withoutRules: false,
  withoutPasswords: false,
  forwardQuery: false,
  update: false,
};

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
  const { account, error, retry } = useImportAccount();
  const domains = useActiveDomainNames();
  const [options, setOptions] = useState(DEFAULT_OPTIONS);
  const { chosen, isReading, summary, unreadable, preview, running, ...actions } = useImport(account, options);
  const isDryRun = running.variables?.isDryRun ?? false;
  const isChanging = running.isPending && !isDryRun;
  useLeavingGuard({ isActive: isChanging, asksOnClose: isChanging, texts: texts.leaving });

  const choose = (file: File, format: FormatName | null = null) => {
    setOptions(DEFAULT_OPTIONS);
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
        onImport={() => actions.run(false)}
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
          allowDeselect={false}
          maw="20rem"
        />
      )}
      {summary && !account && (error ? <ErrorState error={error} retry={retry} /> : <ListSkeleton rows={3} />)}
      {summary && account && (
        <SettingsForm
          summary={summary}
          options={options}
          onChange={(change) => setOptions((before) => ({ ...before, ...change }))}
          domains={domains}
          isPremium={account.plan === "premium"}
        />
      )}
      {summary && preview && (
        <>
          {preview.caseCollisions.map((domain) => (
            <CaseCollisions key={domain} domain={domain} />
          ))}
          <ImportPreview preview={preview} unit={summary.unit} />
          <Group justify="flex-end">
            <Button variant="default" disabled={preview.ready === 0} onClick={() => actions.run(true)}>
              {texts.check}
            </Button>
            <Button disabled={preview.ready === 0} onClick={() => actions.run(false)}>
              {texts.start(preview.ready, formatCount(preview.ready))}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** What the plan must know; null until it is loaded. */
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
