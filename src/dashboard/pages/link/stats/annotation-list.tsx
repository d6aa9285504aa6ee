/** The numbered changes and notes below the chart of a link, and the form for a note. */
import { Group, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Mode } from "../../../../core/account.ts";
import type { LinkNote } from "../../../../core/contract/dashboard.ts";
import type { Link } from "../../../../core/contract/links.ts";
import { LINK_NOTE_MAX_CHARS } from "../../../../core/limits.ts";
import { apiClients, unwrap, useApi } from "../../../api/client.ts";
import { FlatButton, IconButton } from "../../../components/buttons.tsx";
import { useRemoval } from "../../../components/confirm-removal.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../../components/form.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { fromDatetimeLocal, toDatetimeLocal } from "../../../formatting/datetime-local.ts";
import { icon } from "../../../icons.tsx";
import { noteTexts as texts } from "../../../texts/stats.ts";
import { useRevisions } from "../history/use-revisions.ts";
import { type Annotation, annotationsOf } from "./annotations.ts";
import classes from "./series-card.module.css";
import type { StatsSubject } from "./stats-subject.ts";

function notesQuery(mode: Mode, linkId: string) {
  return queryOptions({
    queryKey: [mode, "notes", linkId],
    queryFn: () => unwrap(apiClients[mode].links[":id"].notes.$get({ param: { id: linkId } })),
    enabled: linkId !== "",
  });
}

/** The latest changes and the notes; none for all links. The chart is complete without them, so errors are not shown. */
export function useAnnotations({ link }: StatsSubject): Annotation[] {
  const { mode } = useApi();
  const revisions = useRevisions(link?.id ?? null).data?.pages.flatMap((page) => page.data);
  const notes = useQuery(notesQuery(mode, link?.id ?? "")).data?.data;
  return annotationsOf(revisions ?? [], notes ?? []);
}

interface AnnotationListProps {
  annotations: readonly Annotation[];
  link: Link | null;
  zone: string;
}

export function AnnotationList({ annotations, link, zone }: AnnotationListProps) {
  const [isAdding, adding] = useDisclosure();
  if (!link) return null;
  return (
    <>
      {annotations.length > 0 && (
        <ol className={classes.annotations} aria-label={texts.list}>
          {annotations.map((annotation, index) => (
            <AnnotationItem
              key={annotation.note?.id ?? annotation.at}
              annotation={annotation}
              number={index + 1}
              link={link}
              zone={zone}
            />
          ))}
        </ol>
      )}
      <FlatButton mt="xs" data-not-in-image leftSection={icon("plus", 14)} onClick={adding.open}>
        {texts.add}
      </FlatButton>
      {isAdding && <NoteForm link={link} zone={zone} onClose={adding.close} />}
    </>
  );
}

interface AnnotationItemProps {
  annotation: Annotation;
  number: number;
  link: Link;
  zone: string;
}

function AnnotationItem({ annotation: { at, text, note }, number, link, zone }: AnnotationItemProps) {
  const { api, mode } = useApi();
  const [isEditing, editing] = useDisclosure();
  const removal = useRemoval({
    texts: texts.removal,
    remove: (id: string) => unwrap(api.links[":id"].notes[":note"].$delete({ param: { id: link.id, note: id } })),
    refreshed: notesQuery(mode, link.id).queryKey,
  });
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="baseline">
      <Text size="xs" c="dimmed">
        {number}
      </Text>
      <Text size="xs" className={classes.note}>
        {text}
      </Text>
      <Text size="xs" c="dimmed" component="time" dateTime={at}>
        {formatDateTime(at, zone)}
      </Text>
      {note && (
        <>
          <IconButton
            size="xs"
            data-not-in-image
            label={texts.editOne(text)}
            sign={icon("pencil", 14)}
            onClick={editing.open}
          />
          {isEditing && <NoteForm link={link} zone={zone} note={note} onClose={editing.close} />}
          <IconButton
            size="xs"
            data-not-in-image
            label={texts.deleteOne(text)}
            sign={icon("x", 14)}
            onClick={() => removal.ask(note.id, text)}
          />
        </>
      )}
    </Group>
  );
}

interface NoteFormProps extends Pick<AnnotationItemProps, "link" | "zone"> {
  /** The note to edit; a new one without it. */
  note?: LinkNote;
  onClose: () => void;
}

function NoteForm({ link: { id }, zone, note, onClose }: NoteFormProps) {
  const { api, mode } = useApi();
  const [now] = useState(() => new Date().toISOString());
  const { form, draft, save } = useSavedForm({
    name: `note:${note?.id ?? id}`,
    initialValues: { text: note?.text ?? "", at: toDatetimeLocal(note?.at ?? now, zone) },
    send: ({ text, at }, init) => {
      const { notes } = api.links[":id"];
      const param = { id, note: note?.id ?? "" };
      const json = { at: fromDatetimeLocal(at, zone), text };
      return unwrap<unknown>(note ? notes[":note"].$put({ param, json }, init) : notes.$post({ param, json }, init));
    },
    saved: () => texts.saved,
    refresh: (queries) => queries.invalidateQueries(notesQuery(mode, id)),
    onClose,
  });
  return (
    <FormModal onClose={onClose} title={note ? texts.edit : texts.add}>
      <Form form={form} onSubmit={save.mutate} error={save.error} draft={draft}>
        <TextInput
          label={texts.text}
          data-autofocus
          required
          maxLength={LINK_NOTE_MAX_CHARS}
          {...form.getInputProps("text")}
        />
        <TextInput label={texts.at} type="datetime-local" step={1} required {...form.getInputProps("at")} />
        <FormButtons onCancel={onClose} submit={texts.save} isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}
