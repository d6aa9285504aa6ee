/** Domain settings: the account's domains in the current mode. */
import { Badge, Group, Paper, Stack, Switch, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { Domain } from "../../../core/contract/domains.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { configQuery } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { checkDomain, type DomainSetting, domainsQuery, useDomainSetting } from "../../api/domains.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { AddButton, CopyIconButton, Hint, SmallButton } from "../../components/buttons.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { DestinationInput, ExactInput } from "../../components/inputs.tsx";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { EmptyState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatDateTime } from "../../formatting/dates.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { notifyError, notifySuccess } from "../../notifications.ts";
import { addDomainTexts, defaultRedirectTexts, domainTexts as texts } from "../../texts/settings.ts";
import classes from "./domains.module.css";
import { SettingsLayout } from "./settings-layout.tsx";

export default function Domains() {
  const { mode } = useMode();
  const [adding, add] = useDisclosure();
  const domains = useQuery(domainsQuery(mode));
  return (
    <SettingsLayout
      title={texts.title}
      description={texts.hint}
      actions={<AddButton onClick={add.open}>{texts.add}</AddButton>}
    >
      <Loaded query={domains} skeleton={<ListSkeleton rows={2} height={140} />}>
        {(list) => <DomainList domains={list} onAdd={add.open} />}
      </Loaded>
      {adding && <AddDomain onClose={add.close} />}
    </SettingsLayout>
  );
}

function DomainList({ domains, onAdd }: { domains: readonly Domain[]; onAdd: () => void }) {
  const { mode } = useMode();
  const { data: config } = useQuery(configQuery);
  if (domains.length === 0) {
    return (
      <EmptyState
        icon={icon("world", 30)}
        title={texts.none[mode]}
        example={config && texts.example(config.short_domains[mode])}
        action={texts.addFirst}
        onAction={onAdd}
      >
        {texts.noneHint}
      </EmptyState>
    );
  }
  return (
    <ul className={classes.list} aria-label={texts.title}>
      {domains.map((domain) => (
        <DomainCard key={domain.id} domain={domain} />
      ))}
    </ul>
  );
}

/** Dialog that adds a domain. Its card then shows the DNS records to set. */
function AddDomain({ onClose }: { onClose: () => void }) {
  const { api, mode } = useApi();
  const { form, draft, save } = useSavedForm({
    name: "new-domain",
    initialValues: { domain: "" },
    validate: { domain: (value) => (value.trim() ? null : addDomainTexts.missing) },
    send: ({ domain }, init) => unwrap(api.domains.$post({ json: { domain: domain.trim() } }, init)),
    saved: ({ domain }) => addDomainTexts.added(readableHost(domain)),
    refresh: () => queryClient.invalidateQueries(domainsQuery(mode)),
    onClose,
  });
  return (
    <FormModal onClose={onClose} title={addDomainTexts.title}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        <ExactInput
          label={addDomainTexts.domain}
          description={addDomainTexts.hint}
          placeholder="go.example.com"
          required
          data-autofocus
          {...form.getInputProps("domain")}
        />
        <FormButtons submit={addDomainTexts.add} isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}

type DnsRecord = Domain["records"][number];

const DOMAIN_COLORS: Record<Domain["status"], string> = { pending: "orange", active: "green", misconfigured: "red" };

const RECORD_COLORS: Record<DnsRecord["status"], string> = {
  pending: "gray",
  active: "green",
  missing: "orange",
  failed: "red",
  unknown: "gray",
};

const AppLinks = lazyDialog(() => import("./app-links-form.tsx"));
const PageDesign = lazyDialog(() => import("./page-design-form.tsx"));

/** Card of a domain: its status, its DNS records with the result of the last check, and its actions. */
function DomainCard({ domain }: { domain: Domain }) {
  const host = readableHost(domain.domain);
  const { label, hint } = texts.statuses[domain.status];
  const check = useDomainCheck(domain.id);
  const { api, mode } = useApi();
  const deletion = useRemoval({
    texts: texts.deletion,
    remove: (id: string) => unwrap(api.domains[":id"].$delete({ param: { id } })),
    refreshed: domainsQuery(mode).queryKey,
    explain: (error) => (error instanceof ApiError && error.status === 409 ? new Error(texts.hasLinks(host)) : error),
  });
  const [isEditingRedirects, { open, close }] = useDisclosure();
  const [isEditingAppLinks, appLinks] = useDisclosure();
  const [isEditingDesign, design] = useDisclosure();
  return (
    <Paper component="li" withBorder p="md" aria-label={host}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="xs">
            <Title order={2} size="h4" style={{ overflowWrap: "anywhere" }}>
              {host}
            </Title>
            <Badge color={DOMAIN_COLORS[domain.status]}>{label}</Badge>
          </Group>
          <Group gap="xs">
            <SmallButton onClick={check.start} loading={check.isChecking} disabled={check.waitSeconds > 0}>
              {check.waitSeconds > 0
                ? texts.checkIn(check.waitSeconds)
                : domain.checked_at
                  ? texts.check
                  : texts.checkFirst}
            </SmallButton>
            <SmallButton onClick={open}>{texts.defaultRedirects}</SmallButton>
            <SmallButton onClick={design.open}>{texts.pageDesign}</SmallButton>
            <SmallButton onClick={appLinks.open}>{texts.appLinks}</SmallButton>
            <SmallButton onClick={() => deletion.ask(domain.id, host)} aria-label={texts.deleteOne(host)}>
              {texts.delete}
            </SmallButton>
          </Group>
        </Group>
        <Text size="sm">{hint}</Text>
        <div>
          {domain.records.map((record) => (
            <DnsRecordRow key={record.type + record.name} record={record} />
          ))}
        </div>
        <SettingSwitch domain={domain} setting="case_sensitive" />
        <SettingSwitch domain={domain} setting="peek" />
        <Hint role="status">
          {domain.checked_at ? texts.checkedAt(formatDateTime(domain.checked_at)) : texts.notChecked}
        </Hint>
      </Stack>
      {isEditingRedirects && <DefaultRedirectsForm domain={domain} onClose={close} />}
      {isEditingDesign && <PageDesign domain={domain} onClose={design.close} />}
      {isEditingAppLinks && <AppLinks domain={domain} onClose={appLinks.close} />}
    </Paper>
  );
}

function DnsRecordRow({ record: { type, name, value, status, reason } }: { record: DnsRecord }) {
  return (
    <section className={classes.record} aria-label={texts.record(type)}>
      <Group gap="xs">
        <Text fw={600} size="sm">
          {type === "CERTIFICATE" ? texts.certificate : type}
        </Text>
        <Badge color={RECORD_COLORS[status]}>{texts.recordStatuses[status]}</Badge>
        {type === "CERTIFICATE" && <Hint>{texts.certificateHint}</Hint>}
      </Group>
      {value !== null && (
        <dl className={classes.fields}>
          <dt>{texts.name}</dt>
          <dd>
            {name} <CopyIconButton value={name} label={texts.nameOf(type)} />
          </dd>
          <dt>{texts.value}</dt>
          <dd>
            {value} <CopyIconButton value={value} label={texts.valueOf(type)} />
          </dd>
        </dl>
      )}
      {reason && status !== "pending" && (
        <Text size="sm" mt={4}>
          {reason}
        </Text>
      )}
    </section>
  );
}

/** Switch for a setting of a domain. The service refuses case-sensitive slugs if the domain already has links. */
function SettingSwitch({ domain, setting }: { domain: Domain; setting: DomainSetting }) {
  const host = readableHost(domain.domain);
  const { label, hint, on, off } = texts.settings[setting];
  const change = useDomainSetting(domain.id, setting, {
    onSuccess: (changed) => notifySuccess(isSettingOn(changed, setting) ? on(host) : off(host)),
    onError: (error) => {
      const hasLinks = error instanceof ApiError && error.status === 409;
      notifyError(texts.settingNotChanged, hasLinks ? new Error(texts.caseHasLinks) : error);
    },
  });
  return (
    <Switch
      label={label}
      description={hint}
      checked={change.isPending ? change.variables : isSettingOn(domain, setting)}
      disabled={change.isPending}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}

function isSettingOn({ case_sensitive, peek }: Domain, setting: DomainSetting): boolean {
  return setting === "peek" ? peek !== false : case_sensitive === true;
}

const SECOND_MS = 1_000;

/** Checks a domain's DNS records on request, and counts down the seconds until the API accepts another check. */
function useDomainCheck(id: string): { start: () => void; isChecking: boolean; waitSeconds: number } {
  const { mode } = useApi();
  const [waitSeconds, setWaitSeconds] = useState(0);

  useEffect(() => {
    if (waitSeconds <= 0) return undefined;
    const timer = setTimeout(() => setWaitSeconds((seconds) => seconds - 1), SECOND_MS);
    return () => clearTimeout(timer);
  }, [waitSeconds]);

  const check = useSingleMutation({
    mutationFn: () => checkDomain(mode, id),
    onSuccess: ({ domain, waitSeconds: wait }) => {
      setWaitSeconds(wait ?? 0);
      queryClient.setQueryData(domainsQuery(mode).queryKey, (before) =>
        before?.map((known) => (known.id === id ? domain : known)),
      );
    },
    onError: (error) => notifyError(texts.checkFailed, error),
  });
  return { start: () => check.mutate(), isChecking: check.isPending, waitSeconds };
}

const REDIRECTS = ["root_url", "not_found_url", "expired_url"] as const;
type Redirects = Record<(typeof REDIRECTS)[number], string>;

/** Form for a domain's default redirects: where visitors go from its root path, unknown slugs and expired links. */
function DefaultRedirectsForm({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { api, mode } = useApi();
  const host = readableHost(domain.domain);
  const { form, draft, save } = useSavedForm<Redirects, Domain>({
    name: `default-redirects:${domain.id}`,
    initialValues: Object.fromEntries(REDIRECTS.map((name) => [name, domain[name] ?? ""])) as Redirects,
    send: (urls, init) => {
      const json = Object.fromEntries(REDIRECTS.map((name) => [name, completeUrl(urls[name]) || null]));
      return unwrap(api.domains[":id"].$patch({ param: { id: domain.id }, json }, init));
    },
    saved: () => defaultRedirectTexts.saved,
    refresh: () => queryClient.invalidateQueries(domainsQuery(mode)),
    onClose,
  });
  return (
    <FormModal onClose={onClose} title={defaultRedirectTexts.title(host)}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        {REDIRECTS.map((name, i) => (
          <DestinationInput
            key={name}
            label={defaultRedirectTexts.labels[name]}
            description={defaultRedirectTexts.hints[name](host)}
            data-autofocus={i === 0 || undefined}
            {...form.getInputProps(name)}
          />
        ))}
        <FormButtons isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}
