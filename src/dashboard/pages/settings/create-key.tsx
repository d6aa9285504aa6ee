/** Creates an API key. The key is shown once, since only its hash is stored. */
import { Alert, Button, Checkbox, Code, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Mode } from "../../../core/account.ts";
import type { CreatedKey } from "../../../core/contract/dashboard.ts";
import { useAbortableMutation } from "../../api/abortable-mutation.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { useMode } from "../../mode.tsx";
import { FormError } from "../../components/form-error.tsx";
import { CopyTextButton } from "../../components/copy-buttons.tsx";
import { SCOPE_DESCRIPTIONS, SCOPES } from "./scope-descriptions.ts";

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <Modal
      opened
      onClose={onClose}
      title={created ? "Copy your key now" : "Create an API key"}
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
    initialValues: { name: "", mode, scopes: SCOPES },
    validate: {
      name: (value) => (value.trim() ? null : "Give the key a name, such as where it is used"),
      scopes: (value) => (value.length > 0 ? null : "Choose at least one"),
    },
  });
  const create = useAbortableMutation({
    mutationFn: (json: typeof form.values, signal) =>
      unwrap(apiClients.live.keys.$post({ json }, { init: { signal } })),
    onSuccess: (key) => {
      void queries.invalidateQueries({ queryKey: ["keys"] });
      onCreated(key);
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate({ ...values, name: values.name.trim() }))} noValidate>
      <Stack>
        <FormError error={create.error} />
        <TextInput
          label="Name"
          description="For you to tell keys apart"
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Radio.Group
          label="Mode"
          {...form.getInputProps("mode")}
          onChange={(value) => form.setFieldValue("mode", value as Mode)}
        >
          <Group mt="xs">
            <Radio value="live" label="Live" />
            <Radio value="test" label="Test" />
          </Group>
        </Radio.Group>
        <Checkbox.Group label="What it may do" {...form.getInputProps("scopes")}>
          <Stack gap={6} mt="xs">
            {SCOPES.map((scope) => (
              <Checkbox key={scope} value={scope} label={SCOPE_DESCRIPTIONS[scope]} description={scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CreatedKeyNotice({ apiKey: { key, name }, onDone }: { apiKey: CreatedKey; onDone: () => void }) {
  return (
    <Stack>
      <Alert
        color="orange"
        icon={<IconAlertTriangle aria-hidden />}
        title="This key will not be shown again"
        role="alert"
      >
        Copy it now and keep it where only your programs can read it. If it is lost, revoke it and create another.
      </Alert>
      <Text size="sm">{name}</Text>
      <Code block tabIndex={0} aria-label="Your new key" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {key}
      </Code>
      <Group justify="space-between">
        <CopyTextButton value={key} label="key" />
        <Button variant="default" onClick={onDone}>
          I have copied it
        </Button>
      </Group>
    </Stack>
  );
}
