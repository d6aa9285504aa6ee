/** Form for a link's destination and expiry. A concurrent change of the link is a conflict, and is not overwritten. */
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";

import type { UpdateLink } from "../../../core/contract/links.ts";
import { ApiError } from "../../api/api-error.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { FormError } from "../../components/form-error.tsx";
import { notifySuccess } from "../../notifications.ts";
import { fromDatetimeLocal, toDatetimeLocal } from "../../formatting/datetime-local.ts";
import { completeUrl } from "../../formatting/typed-url.ts";
import { isConflict, type LinkRevision, useLink, useUpdateLink } from "./use-link.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";

interface EditLinkProps {
  current: LinkRevision;
  onClose: () => void;
}

export function EditLink({ current, onClose }: EditLinkProps) {
  // A refetch of the page must not replace the revision that the form was filled from.
  const [base, setBase] = useState(current);
  const { refetch } = useLink(current.link.id);
  const reload = async () => {
    const { data } = await refetch();
    if (data) setBase(data);
  };
  return (
    <Modal opened onClose={onClose} title="Edit link" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <EditLinkForm key={base.etag} base={base} onClose={onClose} reload={() => void reload()} />
    </Modal>
  );
}

interface EditLinkFormProps {
  base: LinkRevision;
  onClose: () => void;
  reload: () => void;
}

function EditLinkForm({ base, onClose, reload }: EditLinkFormProps) {
  const { link } = base;
  const form = useForm({
    initialValues: { url: link.url, expires_at: toDatetimeLocal(link.expires_at ?? "", BROWSER_TIME_ZONE) },
    validate: { url: (value) => (value.trim() ? null : "Enter where the link leads") },
  });
  const update = useUpdateLink(link.id);
  const submit = (values: typeof form.values) => {
    const url = completeUrl(values.url);
    const changes: UpdateLink = {
      ...(url === link.url ? {} : { url }),
      // Sent only when edited: the input has whole seconds, and would cut the stored milliseconds.
      ...(form.isDirty("expires_at")
        ? { expires_at: fromDatetimeLocal(values.expires_at, BROWSER_TIME_ZONE) || null }
        : {}),
    };
    update.mutate(
      { changes, etag: base.etag },
      {
        onSuccess: () => {
          notifySuccess("Link saved");
          onClose();
        },
        onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
      },
    );
  };
  const isInPast =
    form.values.expires_at !== "" &&
    Date.parse(fromDatetimeLocal(form.values.expires_at, BROWSER_TIME_ZONE)) <= Date.now();
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <SaveError error={update.error} reload={reload} />
        <DestinationInput label="Destination" required data-autofocus {...form.getInputProps("url")} />
        <Group align="flex-end" wrap="nowrap">
          <TextInput
            label="Expires"
            description={
              isInPast && form.isDirty("expires_at")
                ? "This is in the past: the link ends when you save."
                : `On the clocks of ${BROWSER_TIME_ZONE}. From then on visitors get an error page.`
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
  return <FormError error={error} />;
}
