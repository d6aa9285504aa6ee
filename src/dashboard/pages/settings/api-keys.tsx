/** API keys of the current mode: list, creation, revocation. */
import { Badge, Code, Group, Paper, Stack, Text, Alert, Checkbox, Radio, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type Mode, SCOPES } from "../../../core/account.ts";
import type { KeyInfo, CreatedKey } from "../../../core/contract/dashboard.ts";
import { keysQuery } from "../../api/account.ts";
import { apiClients, queryClient, unwrap } from "../../api/client.ts";
import { AddButton, CopyTextButton, Hint, PlainButton, SmallButton } from "../../components/buttons.tsx";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../components/form.tsx";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { EmptyState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatDate, formatDateTime, formatIn } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { apiKeyTexts, createKeyTexts } from "../../texts/settings.ts";
import { draftTexts } from "../../texts/shell.ts";
import { SettingsLayout } from "./settings-layout.tsx";

export default function ApiKeys() {
  const { mode } = useMode();
  const [creating, create] = useDisclosure();
  const keys = useQuery(keysQuery);
  return (
    <SettingsLayout
      title={apiKeyTexts.title}
      description={apiKeyTexts.hint[mode]}
      actions={<AddButton onClick={create.open}>{apiKeyTexts.create}</AddButton>}
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
      <EmptyState
        icon={icon("key", 30)}
        title={apiKeyTexts.none[mode]}
        example={<Code>{apiKeyTexts.example(location.origin)}</Code>}
        action={apiKeyTexts.createFirst[mode]}
        onAction={onCreate}
      >
        {apiKeyTexts.noneHint}
      </EmptyState>
    );
  }
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={apiKeyTexts.title}>
      {keys.map((key) => (
        <KeyCard key={key.id} apiKey={key} />
      ))}
    </Stack>
  );
}

function KeyCard({ apiKey }: { apiKey: KeyInfo }) {
  const { id, name, mode, scopes, last_four, created_at, last_used_at, exposed_at } = apiKey;
  const revocation = useRemoval({
    texts: apiKeyTexts.revocation,
    remove: () => unwrap(apiClients.live.keys[":id"].$delete({ param: { id } })),
    refreshed: keysQuery.queryKey,
  });
  const all = scopes.length === SCOPES.length;
  return (
    <Paper component="li" withBorder p="md" aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={6} style={{ minWidth: 0, overflowWrap: "anywhere" }}>
          <Group gap="xs">
            <Text fw={600} lineClamp={2} title={name}>
              {name}
            </Text>
            <Badge variant="default">{apiKeyTexts.mode[mode]}</Badge>
            <Code>
              svc_{mode}_{id}…{last_four}
            </Code>
          </Group>
          <Hint>
            <span title={formatDateTime(created_at)}>{apiKeyTexts.created(formatDate(created_at))}</span> ·{" "}
            {/* A day of UTC, which begins on the day before in zones to the west. */}
            {last_used_at ? apiKeyTexts.lastUsed(formatIn("date", last_used_at, "UTC")) : apiKeyTexts.neverUsed}
          </Hint>
          <Hint>{all ? apiKeyTexts.allScopes : apiKeyTexts.scopes(scopes.join(", "))}</Hint>
          {exposed_at && <Hint c="var(--mantine-color-error)">{apiKeyTexts.exposed(formatDateTime(exposed_at))}</Hint>}
        </Stack>
        <SmallButton onClick={() => revocation.ask(id, name)} aria-label={apiKeyTexts.revokeOne(name)}>
          {apiKeyTexts.revoke}
        </SmallButton>
      </Group>
    </Paper>
  );
}

/** Dialog that creates an API key and shows it once, because only its hash is stored. */
function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <FormModal
      onClose={onClose}
      title={created ? createKeyTexts.createdTitle : createKeyTexts.title}
      size="lg"
      // The key is shown only once: a stray click or Escape must not close the dialog.
      closeOnClickOutside={!created}
      closeOnEscape={!created}
      withCloseButton={!created}
    >
      {created ? <CreatedKeyNotice apiKey={created} onDone={onClose} /> : <CreateKeyForm onCreated={setCreated} />}
    </FormModal>
  );
}

function CreateKeyForm({ onCreated }: { onCreated: (key: CreatedKey) => void }) {
  const { mode } = useMode();
  const { form, draft, save } = useSavedForm({
    name: "new-key",
    initialValues: { name: "", mode, scopes: [...SCOPES] },
    validate: {
      name: (value) => (value.trim() ? null : createKeyTexts.nameMissing),
      scopes: (value) => (value.length > 0 ? null : createKeyTexts.scopesMissing),
    },
    send: ({ name, ...values }, init) =>
      unwrap(apiClients.live.keys.$post({ json: { name: name.trim(), ...values } }, init)),
    refresh: (key) => {
      onCreated(key);
      return queryClient.invalidateQueries(keysQuery);
    },
  });
  return (
    <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
      <TextInput
        label={createKeyTexts.name}
        description={createKeyTexts.nameHint}
        maxLength={100}
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Radio.Group
        label={createKeyTexts.mode}
        {...form.getInputProps("mode")}
        onChange={(value) => form.setFieldValue("mode", value as Mode)}
      >
        <Group mt="xs">
          <Radio value="live" label={createKeyTexts.modes.live} />
          <Radio value="test" label={createKeyTexts.modes.test} />
        </Group>
      </Radio.Group>
      <Checkbox.Group label={createKeyTexts.scopes} {...form.getInputProps("scopes")}>
        <Stack gap={6} mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope} value={scope} label={createKeyTexts.scopeDescriptions[scope]} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <FormButtons submit={createKeyTexts.create} isPending={save.isPending} />
    </Form>
  );
}

function CreatedKeyNotice({ apiKey: { key, name }, onDone }: { apiKey: CreatedKey; onDone: () => void }) {
  useLeavingGuard(true, draftTexts.shownOnce);
  return (
    <Stack>
      <Alert color="orange" icon={icon("alert-triangle")} title={createKeyTexts.once}>
        {createKeyTexts.onceHint}
      </Alert>
      <Text size="sm">{name}</Text>
      <Code
        block
        tabIndex={0}
        aria-label={createKeyTexts.newKey}
        style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}
      >
        {key}
      </Code>
      <Group justify="space-between">
        <CopyTextButton value={key} label={createKeyTexts.key} />
        <PlainButton onClick={onDone}>{createKeyTexts.copied}</PlainButton>
      </Group>
    </Stack>
  );
}
