/** One domain: status, DNS records with the result of the last check, and its actions. */
import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { modals } from "@mantine/modals";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import type { Domain } from "../../../core/contract/domains.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { formatDateTime } from "../../formatting/dates.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import classes from "./domains.module.css";
import { InheritedLinks } from "./inherited-links.tsx";
import { LandingPagesForm } from "./landing-pages.tsx";
import { useDomainCheck } from "./use-domain-check.ts";

type DnsRecord = Domain["records"][number];

const DOMAIN_STATUSES: Record<Domain["status"], { label: string; color: string; description: string }> = {
  pending: {
    label: "Pending",
    color: "orange",
    description: "Set these records with your DNS provider, then check again.",
  },
  active: { label: "Active", color: "green", description: "Takes new links." },
  misconfigured: {
    label: "Misconfigured",
    color: "red",
    description: "A record is wrong. Its links go on where visitors still reach us, but it takes no new ones.",
  },
};

const RECORD_STATUSES: Record<DnsRecord["status"], { label: string; color: string }> = {
  pending: { label: "Not checked", color: "gray" },
  active: { label: "Found", color: "green" },
  missing: { label: "Missing", color: "orange" },
  failed: { label: "Wrong", color: "red" },
  unknown: { label: "Could not be asked", color: "gray" },
};

export function DomainCard({ domain }: { domain: Domain }) {
  const { label, color, description } = DOMAIN_STATUSES[domain.status];
  const check = useDomainCheck(domain.id);
  const remove = useDeleteDomain(domain);
  const [isEditingLandingPages, { open, close }] = useDisclosure();
  return (
    <Paper component="li" withBorder p="md" aria-label={domain.domain}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="xs">
            <Title order={2} size="h4" style={{ overflowWrap: "anywhere" }}>
              {domain.domain}
            </Title>
            <Badge color={color} variant="light" tt="none">
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
              {check.waitSeconds > 0 ? `Check again in ${check.waitSeconds} s` : "Check again"}
            </Button>
            <Button size="xs" variant="default" onClick={open}>
              Landing pages
            </Button>
            <Button size="xs" variant="default" onClick={remove} aria-label={`Delete ${domain.domain}`}>
              Delete
            </Button>
          </Group>
        </Group>
        <Text size="sm">{description}</Text>
        <div>
          {domain.records.map((record) => (
            <DnsRecordRow key={record.type + record.name} record={record} />
          ))}
        </div>
        {domain.status !== "pending" && <InheritedLinks domain={domain} />}
        <Text size="sm" c="dimmed" role="status">
          {domain.checked_at ? `Checked ${formatDateTime(domain.checked_at)}` : "Not checked yet"}
        </Text>
      </Stack>
      {isEditingLandingPages && <LandingPagesForm domain={domain} onClose={close} />}
    </Paper>
  );
}

function DnsRecordRow({ record: { type, name, value, status, reason } }: { record: DnsRecord }) {
  const finding = RECORD_STATUSES[status];
  return (
    <section className={classes.record} aria-label={`${type} record`}>
      <Group gap="xs">
        <Text fw={600} size="sm">
          {type === "CERTIFICATE" ? "Certificate" : type}
        </Text>
        <Badge color={finding.color} variant="light" tt="none">
          {finding.label}
        </Badge>
        {type === "CERTIFICATE" && (
          <Text size="sm" c="dimmed">
            made by the service, nothing to set
          </Text>
        )}
      </Group>
      {value !== null && (
        <dl className={classes.fields}>
          <dt>Name</dt>
          <dd>
            {name} <CopyIconButton value={name} label={`name of the ${type} record`} />
          </dd>
          <dt>Value</dt>
          <dd>
            {value} <CopyIconButton value={value} label={`value of the ${type} record`} />
          </dd>
        </dl>
      )}
      {reason && (
        <Text size="sm" mt={4}>
          {reason}
        </Text>
      )}
    </section>
  );
}

function useDeleteDomain({ id, domain }: Domain): () => void {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => unwrap(api.domains[":id"].$delete({ param: { id } })),
    onSuccess: () => {
      notifySuccess(`${domain} was deleted`);
      return queries.invalidateQueries(domainsQuery(mode));
    },
    onError: (error) =>
      error instanceof ApiError && error.status === 409
        ? notifyError(
            `${domain} still has links`,
            new Error("Delete its links first: while there are any, visitors of printed codes depend on the domain."),
          )
        : notifyError("The domain was not deleted", error),
  });
  return () =>
    modals.openConfirmModal({
      title: "Delete this domain?",
      children: (
        <Text size="sm">
          <strong>{domain}</strong> is given up and others may add it. Slugs that were used on it stay used. A domain
          that still has links cannot be deleted.
        </Text>
      ),
      labels: { confirm: "Delete domain", cancel: "Keep it" },
      confirmProps: { color: "red.9" },
      onConfirm: () => remove.mutate(),
    });
}
