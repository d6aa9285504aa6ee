/** Form for what can be changed of a link but its rules. A concurrent change of the link is a conflict, and is not overwritten. */
import { Alert, Button, Modal, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";

import { TAGS_MAX } from "../../../core/limits.ts";
import { ApiError } from "../../api/api-error.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { FormButtons, FormError } from "../../components/form.tsx";
import { notifySuccess } from "../../notifications.ts";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { isConflict, type LinkWithEtag, useAbortableUpdate, useLink } from "./use-link.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { editLinkTexts as texts } from "../../texts/link.ts";
import { linkErrors } from "../links/link-errors.ts";
import { ForwardQuerySwitch, ScheduleFields } from "../links/schedule-fields.tsx";
import { type EditLinkValues, toEditLinkValues, toLinkChanges } from "./link-changes.ts";

interface EditLinkProps {
  current: LinkWithEtag;
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
    <Modal opened onClose={onClose} title={texts.dialog} size="lg" closeButtonProps={{ "aria-label": texts.close }}>
      <EditLinkForm key={base.etag} base={base} onClose={onClose} reload={() => void reload()} />
    </Modal>
  );
}

interface EditLinkFormProps {
  base: LinkWithEtag;
  onClose: () => void;
  reload: () => void;
}

function EditLinkForm({ base, onClose, reload }: EditLinkFormProps) {
  const { link } = base;
  const form = useForm<EditLinkValues>({
    initialValues: toEditLinkValues(link),
    validate: { url: (value) => (value.trim() ? null : texts.needsUrl) },
  });
  const update = useAbortableUpdate(link.id);
  const submit = (values: EditLinkValues) =>
    update.mutate(
      { changes: toLinkChanges(link, values), etag: base.etag },
      {
        onSuccess: () => {
          notifySuccess(texts.saved);
          onClose();
        },
        onError: (error) => error instanceof ApiError && form.setErrors(linkErrors(error.problems)),
      },
    );
  const expiry = fromDatetimeLocal(form.values.expires_at, BROWSER_TIME_ZONE);
  const endsNow = form.isDirty("expires_at") && expiry !== "" && Date.parse(expiry) <= Date.now();
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <SaveError error={update.error} reload={reload} />
        <DestinationInput label={texts.url} required data-autofocus {...form.getInputProps("url")} />
        <TextInput label={texts.title} description={texts.titleHint} {...form.getInputProps("title")} />
        <TagsInput
          label={texts.tags}
          description={texts.tagsHint}
          placeholder={form.values.tags.length === 0 ? texts.tagsPlaceholder : ""}
          maxTags={TAGS_MAX}
          acceptValueOnBlur
          {...form.getInputProps("tags")}
        />
        <ScheduleFields
          values={form.values}
          inputProps={(name) => form.getInputProps(name)}
          onClear={(name) => form.setFieldValue(name, "")}
          {...(endsNow ? { expiresHint: texts.endsNow } : {})}
        />
        <ForwardQuerySwitch {...form.getInputProps("forward_query", { type: "checkbox" })} />
        <Text size="sm" c="dimmed">
          {texts.fixed}
        </Text>
        <FormButtons onCancel={onClose} submit={texts.save} isPending={update.isPending} />
      </Stack>
    </form>
  );
}

function SaveError({ error, reload }: { error: unknown; reload: () => void }) {
  if (isConflict(error)) {
    return (
      <Alert color="yellow" variant="light" role="alert" title={texts.conflictTitle}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{texts.conflict}</Text>
          <Button size="xs" onClick={reload}>
            {texts.conflictReload}
          </Button>
        </Stack>
      </Alert>
    );
  }
  return <FormError error={error} />;
}
