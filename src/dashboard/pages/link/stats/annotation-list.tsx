/** The numbered changes and notes below the chart of a link, and the form for a note. */
import { Button, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import type { Mode } from "../../../../core/account.ts";
import type { Link } from "../../../../core/contract/links.ts";
import { LINK_NOTE_MAX_CHARS } from "../../../../core/limits.ts";
import { apiClients, unwrap, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { FlatButton, IconButton } from "../../../components/buttons.tsx";
import { useRemoval } from "../../../components/confirm-removal.tsx";
import { FormError } from "../../../components/form.tsx";
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
      <AddNote link={link} zone={zone} />
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
        <IconButton
          size="xs"
          data-not-in-image
          label={texts.deleteOne(text)}
          sign={icon("x", 14)}
          onClick={() => removal.ask(note.id, text)}
        />
      )}
    </Group>
  );
}

/** What was typed stays until it is saved, even if the form is closed. */
function AddNote({ link: { id }, zone }: Pick<AnnotationItemProps, "link" | "zone">) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [at, setAt] = useState("");
  const { mutate, error, isPending } = useSingleMutation({
    mutationFn: () =>
      unwrap(api.links[":id"].notes.$post({ param: { id }, json: { at: fromDatetimeLocal(at, zone), text } })),
    onSuccess: () => {
      setOpen(false);
      setText("");
      setAt("");
      return queries.invalidateQueries({ queryKey: notesQuery(mode, id).queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  const toggle = () => {
    if (at === "") setAt(toDatetimeLocal(new Date().toISOString(), zone));
    setOpen(!isOpen);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      trapFocus
      returnFocus
      withArrow
      withRoles={false}
      position="bottom-start"
    >
      <Popover.Target>
        <FlatButton mt="xs" data-not-in-image leftSection={icon("plus", 14)} aria-expanded={isOpen} onClick={toggle}>
          {texts.add}
        </FlatButton>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Stack gap="sm" w={260}>
            <FormError error={error} />
            <TextInput
              label={texts.text}
              data-autofocus
              required
              maxLength={LINK_NOTE_MAX_CHARS}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <TextInput
              label={texts.at}
              type="datetime-local"
              step={1}
              required
              value={at}
              onChange={(event) => setAt(event.currentTarget.value)}
            />
            <Button type="submit" loading={isPending}>
              {texts.save}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
