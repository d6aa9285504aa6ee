/** Dialog that edits a link, except its rules. */
import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";

import { ApiError, hasCode } from "../../api/api-error.ts";
import { Form, FormButtons, FormModal } from "../../components/form.tsx";
import { Hint } from "../../components/buttons.tsx";
import { DestinationInput } from "../../components/inputs.tsx";
import { ErrorState, ListSkeleton, Notice } from "../../components/states.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { browserTimeZone, fromDatetimeLocal } from "../../formatting/dates.ts";
import { notifySuccess } from "../../notifications.ts";
import { memberTexts } from "../../texts/link-form.ts";
import { editLinkTexts as texts } from "../../texts/link.ts";
import { AliasesSection } from "../links/address-fields.tsx";
import { RedirectFields, ScheduleFields, TagsField } from "../links/form-sections.tsx";
import {
  ALIAS_RULES,
  type EditLinkValues,
  linkErrors,
  passwordProblem,
  toEditLinkValues,
  toLinkChanges,
} from "../links/link-form.ts";
import { SocialSection } from "../links/social-fields.tsx";
import { UtmSection } from "../links/utm-section.tsx";
import { type LinkWithEtag, useAbortableUpdate, useLink } from "./use-link.ts";

interface EditLinkProps {
  id: string;
  /** Undefined for a link of the list, whose rows have no ETag: it is read first. */
  current?: LinkWithEtag;
  onClose: () => void;
}

/** Form for everything that can be changed on a link except its rules. Concurrent changes are not overwritten. */
export default function EditLink({ id, current, onClose }: EditLinkProps) {
  const { data, error, isFetching, refetch } = useLink(id);
  // A refetch of the page must not replace the revision that the form was filled from.
  const [base, setBase] = useState(current);
  if (!base && data && !isFetching) setBase(data);
  const reload = async () => setBase((await refetch()).data ?? base);
  return (
    <FormModal onClose={onClose} title={texts.dialog} size="lg">
      {base && <EditLinkForm key={base.etag} base={base} onClose={onClose} reload={() => void reload()} />}
      {!base && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <ListSkeleton rows={6} />)}
    </FormModal>
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
    validate: {
      url: (value) => (value.trim() ? null : memberTexts.needsUrl),
      aliases: ALIAS_RULES,
      password: (_, values) => passwordProblem(values, link),
    },
  });
  const [file, setFile] = useState<File | null>(null);
  const draft = useDraft({
    form: `edit-link:${link.id}`,
    initial: { ...toEditLinkValues(link), file: "" },
    values: { ...form.values, file: file?.name ?? "" },
    restore: ({ file: name, ...members }) => {
      form.setValues(members);
      if (name === "") setFile(null);
    },
    secret: ["password", "file"],
  });
  const update = useAbortableUpdate(link.id);
  const isConflict = hasCode(update.error, "precondition_failed");
  const submit = (values: EditLinkValues) =>
    update.mutate(
      { changes: toLinkChanges(link, values), etag: base.etag, file },
      {
        onSuccess: () => {
          draft.done();
          notifySuccess(texts.saved);
          onClose();
        },
        onError: (error) => error instanceof ApiError && form.setErrors(linkErrors(error.problems)),
      },
    );
  const expiry = fromDatetimeLocal(form.values.expires_at, browserTimeZone());
  const endsNow = form.isDirty("expires_at") && expiry !== "" && Date.parse(expiry) <= Date.now();
  return (
    <Form form={form} onSubmit={submit} error={isConflict ? null : update.error} draft={draft}>
      {isConflict && (
        <Notice
          color="yellow"
          title={texts.conflictTitle}
          actions={
            <Button size="xs" onClick={reload}>
              {texts.conflictReload}
            </Button>
          }
        >
          {texts.conflict}
        </Notice>
      )}
      <DestinationInput label={memberTexts.url} required autoFocus data-autofocus {...form.getInputProps("url")} />
      <UtmSection url={form.values.url} onChange={(changed) => form.setFieldValue("url", changed)} />
      <TextInput label={memberTexts.title} description={memberTexts.titleHint} {...form.getInputProps("title")} />
      <TagsField label={memberTexts.tags} description={texts.tagsHint} {...form.getInputProps("tags")} />
      <AliasesSection form={form} domain={link.domain} hasRetired />
      <ScheduleFields form={form} {...(endsNow ? { expiresHint: texts.endsNow } : {})} />
      <SocialSection form={form} file={file} onFile={setFile} />
      <RedirectFields form={form} hasPassword={link.password_protected ?? false} />
      <Hint>{texts.fixed}</Hint>
      <FormButtons isPending={update.isPending} />
    </Form>
  );
}
