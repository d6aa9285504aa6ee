/** Creates an API key. The key is shown once, since only its hash is stored. */
import { Alert, Checkbox, Code, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { type Mode, SCOPES } from "../../../core/account.ts";
import type { CreatedKey } from "../../../core/contract/dashboard.ts";
import { keysQuery } from "../../api/account.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { Form, FormButtons, showAtFields } from "../../components/form.tsx";
import { CopyTextButton } from "../../components/copy-buttons.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { createKeyTexts as texts } from "../../texts/settings.ts";

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <Modal
      opened
      onClose={onClose}
      title={created ? texts.createdTitle : texts.title}
      size="lg"
      // The key is shown only once: a stray click or Escape must not close the dialog.
      closeOnClickOutside={!created}
      closeOnEscape={!created}
      withCloseButton={!created}
    >
      {created ? (
        <CreatedKeyNotice apiKey={created} onDone={onClose} />
      ) : (
        <CreateKeyForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}

function CreateKeyForm({ onCreated, onCancel }: { onCreated: (key: CreatedKey) => void; onCancel: () => void }) {
  const { mode } = useMode();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { name: "", mode, scopes: [...SCOPES] },
    validate: {
      name: (value) => (value.trim() ? null : texts.nameMissing),
      scopes: (value) => (value.length > 0 ? null : texts.scopesMissing),
    },
  });
  const create = useAbortableMutation({
    mutationFn: (json: typeof form.values, signal) =>
      unwrap(apiClients.live.keys.$post({ json }, { init: { signal } })),
    onSuccess: (key) => {
      void queries.invalidateQueries({ queryKey: keysQuery.queryKey });
      onCreated(key);
    },
    onError: showAtFields(form),
  });
  return (
    <Form
      form={form}
      onSubmit={(values) => create.mutate({ ...values, name: values.name.trim() })}
      error={create.error}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        maxLength={100}
        required
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Radio.Group
        label={texts.mode}
        {...form.getInputProps("mode")}
        onChange={(value) => form.setFieldValue("mode", value as Mode)}
      >
        <Group mt="xs">
          <Radio value="live" label={texts.modes.live} />
          <Radio value="test" label={texts.modes.test} />
        </Group>
      </Radio.Group>
      <Checkbox.Group label={texts.scopes} {...form.getInputProps("scopes")}>
        <Stack gap={6} mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox key={scope} value={scope} label={texts.scopeDescriptions[scope]} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <FormButtons onCancel={onCancel} submit={texts.create} isPending={create.isPending} />
    </Form>
  );
}

function CreatedKeyNotice({ apiKey: { key, name }, onDone }: { apiKey: CreatedKey; onDone: () => void }) {
  return (
    <Stack>
      <Alert color="orange" icon={icon("alert-triangle")} title={texts.once}>
        {texts.onceHint}
      </Alert>
      <Text size="sm">{name}</Text>
      <Code block tabIndex={0} aria-label={texts.newKey} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {key}
      </Code>
      <Group justify="space-between">
        <CopyTextButton value={key} label={texts.key} />
        <PlainButton onClick={onDone}>{texts.copied}</PlainButton>
      </Group>
    </Stack>
  );
}
