/** One domain: status, DNS records with the result of the last check, and its actions. */
import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { modals } from "@mantine/modals";
import { useQueryClient } from "@tanstack/react-query";

import type { Domain } from "../../../core/contract/domains.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { formatDateTime } from "../../formatting/dates.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { domainTexts as texts } from "../../texts/settings.ts";
import { CaseSwitch } from "./case-switch.tsx";
import classes from "./domains.module.css";
import { InheritedLinks } from "./inherited-links.tsx";
import { LandingPagesForm } from "./landing-pages.tsx";
import { useDomainCheck } from "./use-domain-check.ts";

type DnsRecord = Domain["records"][number];

const DOMAIN_COLORS: Record<Domain["status"], string> = { pending: "orange", active: "green", misconfigured: "red" };

const RECORD_COLORS: Record<DnsRecord["status"], string> = {
  pending: "gray",
  active: "green",
  missing: "orange",
  failed: "red",
  unknown: "gray",
};

export function DomainCard({ domain }: { domain: Domain }) {
  const host = readableHost(domain.domain);
  const { label, hint } = texts.statuses[domain.status];
  const check = useDomainCheck(domain.id);
  const remove = useDeleteDomain(domain);
  const [isEditingLandingPages, { open, close }] = useDisclosure();
  return (
    <Paper component="li" withBorder p="md" aria-label={host}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="xs">
            <Title order={2} size="h4" style={{ overflowWrap: "anywhere" }}>
              {host}
            </Title>
            <Badge color={DOMAIN_COLORS[domain.status]} variant="light" tt="none">
              {label}
            </Badge>
          </Group>
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              onClick={check.start}
              loading={check.isChecking}
              disabled={check.waitSeconds > 0}
            >
              {check.waitSeconds > 0
                ? texts.checkIn(check.waitSeconds)
                : domain.checked_at
                  ? texts.check
                  : texts.checkFirst}
            </Button>
            <Button size="xs" variant="default" onClick={open}>
              {texts.landingPages}
            </Button>
            <Button size="xs" variant="default" onClick={remove} aria-label={texts.deleteOne(host)}>
              {texts.delete}
            </Button>
          </Group>
        </Group>
        <Text size="sm">{hint}</Text>
        <div>
          {domain.records.map((record) => (
            <DnsRecordRow key={record.type + record.name} record={record} />
          ))}
        </div>
        <CaseSwitch domain={domain} />
        {domain.status !== "pending" && <InheritedLinks domain={domain} />}
        <Text size="sm" c="dimmed" role="status">
          {domain.checked_at ? texts.checkedAt(formatDateTime(domain.checked_at)) : texts.notChecked}
        </Text>
      </Stack>
      {isEditingLandingPages && <LandingPagesForm domain={domain} onClose={close} />}
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
        <Badge color={RECORD_COLORS[status]} variant="light" tt="none">
          {texts.recordStatuses[status]}
        </Badge>
        {type === "CERTIFICATE" && (
          <Text size="sm" c="dimmed">
            {texts.certificateHint}
          </Text>
        )}
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

function useDeleteDomain({ id, domain: asciiDomain }: Domain): () => void {
  const domain = readableHost(asciiDomain);
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const remove = useSingleMutation({
    mutationFn: () => unwrap(api.domains[":id"].$delete({ param: { id } })),
    onSuccess: () => {
      notifySuccess(texts.deleted(domain));
      return queries.invalidateQueries(domainsQuery(mode));
    },
    onError: (error) =>
      error instanceof ApiError && error.status === 409
        ? notifyError(texts.hasLinks(domain), new Error(texts.hasLinksHint))
        : notifyError(texts.notDeleted, error),
  });
  return () =>
    modals.openConfirmModal({
      title: texts.deleteTitle,
      children: (
        <Text size="sm">
          {texts.deleteWarning[0]}
          <strong>{domain}</strong>
          {texts.deleteWarning[1]}
        </Text>
      ),
      labels: { confirm: texts.confirm, cancel: texts.keep },
      confirmProps: { color: "red.9" },
      onConfirm: () => remove.mutate(),
    });
}
