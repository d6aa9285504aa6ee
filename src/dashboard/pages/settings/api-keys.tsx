/** API keys of the current mode: list, creation, revocation. */
import { Badge, Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { type Mode, SCOPES } from "../../../core/account.ts";
import type { KeyInfo } from "../../../core/contract/dashboard.ts";
import { keysQuery } from "../../api/account.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { SmallButton } from "../../components/buttons.tsx";
import { confirmRemoval } from "../../components/confirm-removal.tsx";
import { Hint } from "../../components/hint.tsx";
import { EmptyState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { apiKeyTexts as texts } from "../../texts/settings.ts";
import { CreateKey } from "./create-key.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

export default function ApiKeys() {
  const { mode } = useMode();
  const [creating, create] = useDisclosure();
  const keys = useQuery(keysQuery);
  return (
    <SettingsLayout
      title={texts.title}
      description={texts.hint[mode]}
      actions={
        <Button leftSection={icon("plus", 18)} onClick={create.open}>
          {texts.create}
        </Button>
      }
    >
      <Loaded query={keys} skeleton={<ListSkeleton rows={3} height={84} />}>
        {({ data }) => <KeyList keys={data.filter((key) => key.mode === mode)} mode={mode} onCreate={create.open} />}
      </Loaded>
      {creating && <CreateKey onClose={create.close} />}
    </SettingsLayout>
  );
}

function KeyList({ keys, mode, onCreate }: { keys: readonly KeyInfo[]; mode: Mode; onCreate: () => void }) {
  if (keys.length === 0) {
    return (
      <EmptyState icon={icon("key", 30)} title={texts.none[mode]} action={texts.createFirst[mode]} onAction={onCreate}>
        {texts.noneHint}
      </EmptyState>
    );
  }
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.list}>
      {keys.map((key) => (
        <KeyCard key={key.id} apiKey={key} />
      ))}
    </Stack>
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
            <Badge variant="default">{texts.mode[mode]}</Badge>
            <Code>
              svc_{mode}_{id}…{last_four}
            </Code>
          </Group>
          <Hint>
            <span title={formatDateTime(created_at)}>{texts.created(formatDate(created_at))}</span> ·{" "}
            {last_used_at ? texts.lastUsed(formatDate(last_used_at)) : texts.neverUsed}
          </Hint>
          <Hint>{all ? texts.allScopes : texts.scopes(scopes.join(", "))}</Hint>
        </Stack>
        <SmallButton onClick={revoke} aria-label={texts.revokeOne(name)}>
          {texts.revoke}
        </SmallButton>
      </Group>
    </Paper>
  );
}

function useRevokeKey({ id, name }: KeyInfo): () => void {
  const revoke = useNotifiedMutation({
    mutationFn: () => unwrap(apiClients.live.keys[":id"].$delete({ param: { id } })),
    done: () => texts.revoked(name),
    failed: texts.notRevoked,
    refreshed: keysQuery.queryKey,
  });
  return () =>
    confirmRemoval({
      title: texts.revokeTitle,
      name,
      warning: texts.revokeWarning,
      confirm: texts.confirm,
      onConfirm: revoke.mutate,
    });
}
