/** Changes where a link leads and when it ends, unless somebody else has changed it meanwhile. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";

import type { UpdateLink } from "../../../core/contract/contract.ts";
import { ApiError } from "../../api/api-error.ts";
import { FormProblem } from "../../components/form-problem.tsx";
import { notifyDone } from "../../components/notify.ts";
import { instantOfInput, localInput } from "../../components/local-time.ts";
import { isConflict, type LinkAt, useLink, useUpdateLink } from "./use-link.ts";
import { BROWSER_ZONE } from "../../components/zones.ts";

interface EditLinkProps {
  current: LinkAt;
  onClose: () => void;
}

export function EditLink({ current, onClose }: EditLinkProps) {
  // The revision that is being edited stays the one that was on show when editing began.
  const [base, setBase] = useState(current);
  const { refetch } = useLink(current.link.id);
  const reload = async () => {
    const { data } = await refetch();
    if (data) setBase(data);
  };
  return (
    <Modal opened onClose={onClose} title="Edit link" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <EditForm key={base.etag} base={base} onClose={onClose} reload={() => void reload()} />
    </Modal>
  );
}

interface EditFormProps {
  base: LinkAt;
  onClose: () => void;
  reload: () => void;
}

function EditForm({ base, onClose, reload }: EditFormProps) {
  const { link } = base;
  const form = useForm({
    initialValues: { url: link.url, expires_at: localInput(link.expires_at ?? "", BROWSER_ZONE) },
    validate: { url: (value) => (value.trim() ? null : "Enter where the link leads") },
  });
  const update = useUpdateLink(link.id);
  const submit = (values: typeof form.values) => {
    const changes: UpdateLink = {
      ...(values.url.trim() === link.url ? {} : { url: values.url.trim() }),
      // Only what was touched is sent: the field holds whole seconds, the link may not.
      ...(form.isDirty("expires_at") ? { expires_at: instantOfInput(values.expires_at, BROWSER_ZONE) || null } : {}),
    };
    update.mutate(
      { changes, etag: base.etag },
      {
        onSuccess: () => {
          notifyDone("Link saved");
          onClose();
        },
        onError: (error) => error instanceof ApiError && form.setErrors(error.fields()),
      },
    );
  };
  const inPast =
    form.values.expires_at !== "" && Date.parse(instantOfInput(form.values.expires_at, BROWSER_ZONE)) <= Date.now();
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <SaveError error={update.error} reload={reload} />
        <TextInput label="Destination" type="url" required data-autofocus {...form.getInputProps("url")} />
        <Group align="flex-end" wrap="nowrap">
          <TextInput
            label="Expires"
            description={
              inPast && form.isDirty("expires_at")
                ? "This is in the past: the link ends when you save."
                : `On the clocks of ${BROWSER_ZONE}. From then on visitors get an error page.`
            }
            type="datetime-local"
            step={1}
            max="9998-12-31T23:59:59"
            flex={1}
            miw={0}
            {...form.getInputProps("expires_at")}
          />
          <Button
            variant="default"
            disabled={form.values.expires_at === ""}
            onClick={() => form.setFieldValue("expires_at", "")}
          >
            Clear
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          The short URL itself never changes, so printed codes go on working.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={update.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function SaveError({ error, reload }: { error: unknown; reload: () => void }) {
  if (isConflict(error)) {
    return (
      <Alert color="yellow" variant="light" role="alert" title="Somebody else changed this link">
        <Stack gap="sm" align="flex-start">
          <Text size="sm">Nothing was saved. Reload to see the link as it is now, then make your change again.</Text>
          <Button size="xs" onClick={reload}>
            Reload
          </Button>
        </Stack>
      </Alert>
    );
  }
  return <FormProblem error={error} />;
}
