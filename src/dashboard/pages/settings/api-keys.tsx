/** API keys of the current mode: list, creation, revocation. */
import { Badge, Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { modals } from "@mantine/modals";
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { SCOPES } from "../../../core/account.ts";
import type { KeyInfo } from "../../../core/contract/dashboard.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { IconKey, IconPlus } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { EmptyState, ErrorState, ListSkeleton } from "../../components/states.tsx";
import { apiKeyTexts as texts } from "../../texts/settings.ts";
import { CreateKey } from "./create-key.tsx";
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
      title={texts.title}
      description={texts.hint[mode]}
      actions={
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={create.open}>
          {texts.create}
        </Button>
      }
    >
      {keys.isPending && <ListSkeleton rows={3} height={84} />}
      {keys.error && <ErrorState error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data && shown.length === 0 && (
        <EmptyState
          icon={<IconKey size={30} />}
          title={texts.none[mode]}
          action={<Button onClick={create.open}>{texts.createFirst[mode]}</Button>}
        >
          {texts.noneHint}
        </EmptyState>
      )}
      {shown.length > 0 && (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.list}>
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
  const all = scopes.length === SCOPES.length;
  return (
    <Paper component="li" withBorder p="md" aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={6} style={{ minWidth: 0, overflowWrap: "anywhere" }}>
          <Group gap="xs">
            <Text fw={600} lineClamp={2} title={name}>
              {name}
            </Text>
            <Badge variant="default" tt="none">
              {texts.mode[mode]}
            </Badge>
            <Code>
              svc_{mode}_{id}…{last_four}
            </Code>
          </Group>
          <Text size="sm" c="dimmed">
            <span title={formatDateTime(created_at)}>{texts.created(formatDate(created_at))}</span> ·{" "}
            {last_used_at ? texts.lastUsed(formatDate(last_used_at)) : texts.neverUsed}
          </Text>
          <Text size="sm" c="dimmed">
            {all ? texts.allScopes : texts.scopes(scopes.join(", "))}
          </Text>
        </Stack>
        <Button variant="default" size="xs" onClick={revoke} aria-label={texts.revokeOne(name)}>
          {texts.revoke}
        </Button>
      </Group>
    </Paper>
  );
}

function useRevokeKey({ id, name }: KeyInfo): () => void {
  const queries = useQueryClient();
  const revoke = useSingleMutation({
    mutationFn: () => unwrap(apiClients.live.keys[":id"].$delete({ param: { id } })),
    onSuccess: () => {
      notifySuccess(texts.revoked(name));
      return queries.invalidateQueries({ queryKey: ["keys"] });
    },
    onError: (error) => notifyError(texts.notRevoked, error),
  });
  return () =>
    modals.openConfirmModal({
      title: texts.revokeTitle,
      children: (
        <Text size="sm">
          {texts.revokeWarning[0]}
          <strong>{name}</strong>
          {texts.revokeWarning[1]}
        </Text>
      ),
      labels: { confirm: texts.confirm, cancel: texts.keep },
      confirmProps: { color: "red.9" },
      onConfirm: () => revoke.mutate(),
    });
}
