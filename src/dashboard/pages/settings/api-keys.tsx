/** API keys of the current mode: list, creation, revocation. */
import { Badge, Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { modals } from "@mantine/modals";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { KeyInfo } from "../../../core/contract/dashboard.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { useMode } from "../../mode.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { ListSkeleton } from "../../components/skeletons.tsx";
import { EmptyState, ErrorState } from "../../components/states.tsx";
import { CreateKey } from "./create-key.tsx";
import { SCOPE_DESCRIPTIONS } from "./scope-descriptions.ts";
import { SettingsLayout } from "./settings-layout.tsx";

export default function ApiKeys() {
  const { mode } = useMode();
  const [creating, create] = useDisclosure();
  const keys = useQuery({
    queryKey: ["keys"],
    queryFn: () => unwrap(apiClients.live.keys.$get({ query: {} })),
  });
  const shown = keys.data?.data.filter((key) => key.mode === mode) ?? [];

  return (
    <SettingsLayout
      title="API keys"
      description={mode === "test" ? "Test keys act on test links only." : "Live keys act on live links only."}
      actions={
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={create.open}>
          Create key
        </Button>
      }
    >
      {keys.isPending && <ListSkeleton rows={3} height={84} />}
      {keys.error && <ErrorState error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && shown.length === 0 && (
        <EmptyState
          icon={<IconKey size={30} />}
          title={`No ${mode} keys yet`}
          action={<Button onClick={create.open}>Create your first {mode} key</Button>}
        >
          A key lets your programs call the API. Links that are made with one can have QR codes and take part in the
          live stream.
        </EmptyState>
      )}
      {shown.length > 0 && (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label="API keys">
          {shown.map((key) => (
            <KeyCard key={key.id} apiKey={key} />
          ))}
        </Stack>
      )}
      {creating && <CreateKey onClose={create.close} />}
    </SettingsLayout>
  );
}

function KeyCard({ apiKey }: { apiKey: KeyInfo }) {
  const { id, name, mode, scopes, last_four, created_at, last_used_at } = apiKey;
  const revoke = useRevokeKey(apiKey);
  const all = scopes.length === Object.keys(SCOPE_DESCRIPTIONS).length;
  return (
    <Paper component="li" withBorder p="md" aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={6} style={{ minWidth: 0, overflowWrap: "anywhere" }}>
          <Group gap="xs">
            <Text fw={600} lineClamp={2} title={name}>
              {name}
            </Text>
            <Badge variant="default" tt="none">
              {mode === "test" ? "Test" : "Live"}
            </Badge>
            <Code>
              svc_{mode}_{id}…{last_four}
            </Code>
          </Group>
          <Text size="sm" c="dimmed">
            <span title={formatDateTime(created_at)}>Created {formatDate(created_at)}</span> ·{" "}
            {last_used_at ? `last used ${formatDate(last_used_at)}` : "never used"}
          </Text>
          <Text size="sm" c="dimmed">
            {all ? "May do everything" : `May: ${scopes.join(", ")}`}
          </Text>
        </Stack>
        <Button variant="default" size="xs" onClick={revoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      </Group>
    </Paper>
  );
}

function useRevokeKey({ id, name }: KeyInfo): () => void {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => unwrap(apiClients.live.keys[":id"].$delete({ param: { id } })),
    onSuccess: () => {
      notifySuccess(`${name} was revoked`);
      return queries.invalidateQueries({ queryKey: ["keys"] });
    },
    onError: (error) => notifyError("The key was not revoked", error),
  });
  return () =>
    modals.openConfirmModal({
      title: "Revoke this key?",
      children: (
        <Text size="sm">
          Programs that use <strong>{name}</strong> are refused at once, and its open streams end within ten seconds.
          This cannot be undone.
        </Text>
      ),
      labels: { confirm: "Revoke key", cancel: "Keep it" },
      confirmProps: { color: "red.9" },
      onConfirm: () => revoke.mutate(),
    });
}
