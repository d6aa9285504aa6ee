/**
 * What happened while clicks were counted: changes from a link's history that affect where visitors go, and notes.
 * They are numbered on the chart and in the list below it, which also adds, edits and deletes notes.
 */
import { Group, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Mode } from "../../../../core/account.ts";
import { binStart } from "../../../../core/clicks/counting/calendar.ts";
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import type { LinkNote } from "../../../../core/contract/dashboard.ts";
import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { ALL_LINKS } from "../../../../core/identifiers.ts";
import { LINK_NOTE_MAX_CHARS } from "../../../../core/limits.ts";
import { timestamp } from "../../../../core/time.ts";
import { apiClients, queryClient, unwrap, useApi } from "../../../api/client.ts";
import { FlatButton, IconButton } from "../../../components/buttons.tsx";
import { useRemoval } from "../../../components/confirm-removal.tsx";
import { Form, FormButtons, FormModal, useSavedForm } from "../../../components/form.tsx";
import { formatDateTime, fromDatetimeLocal, toDatetimeLocal } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { historyTexts } from "../../../texts/history.ts";
import { noteTexts as texts, statsTexts } from "../../../texts/stats.ts";
import { useRevisions } from "../history/use-revisions.ts";
import classes from "./series-card.module.css";
import { binTitle } from "./time-range.ts";
import type { StatsSubject } from "./use-stats.ts";

export interface Annotation {
  /** ISO 8601. */
  at: string;
  text: string;
  /** Can be edited and deleted, unlike changes. */
  note?: LinkNote;
}

const SHOWN_MEMBERS = ["url", "routing", "paused", "disabled"] as const;

/** @param revisions  newest first; the creation of the link is no change */
function changesIn(revisions: readonly LinkRevision[]): Annotation[] {
  return revisions.flatMap((revision) => {
    const changed = SHOWN_MEMBERS.filter((member) => revision.changed?.includes(member));
    if (changed.length === 0) return [];
    const names = changed.map((member) => {
      if (member === "url" || member === "routing") return statsTexts.changes[member];
      const { on, off } = historyTexts.flags[member];
      return revision[member] ? on : off;
    });
    return [{ at: revision.changed_at, text: statsTexts.changedIn(names.join(", "), revision.revision) }];
  });
}

/**
 * Those within a range, oldest first.
 * @param to  epoch ms; a range until now ends later than the statistics that are shown
 */
export function annotationsWithin(annotations: readonly Annotation[], from: string, to: number): Annotation[] {
  return annotations
    .filter(({ at }) => Date.parse(at) >= Date.parse(from) && Date.parse(at) < to)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** The bins of annotations, with the numbers that these have in the list below the chart, from 1. */
export function annotatedBins(
  annotations: readonly Annotation[],
  series: Stats["series"],
  interval: Interval,
  zone: string,
): { start: string; numbers: number[] }[] {
  const last = series.at(-1)?.start;
  if (last === undefined) return [];
  const bins = Map.groupBy(annotations.keys(), (index) => {
    const bin = binAt(Date.parse(annotations[index]?.at ?? last), interval, zone);
    return bin < last ? bin : last;
  });
  return [...bins].map(([start, indexes]) => ({ start, numbers: indexes.map((index) => index + 1) }));
}

/** The start of the last bin if the range ends within it, e.g. now; null if all bins are complete. */
export function incompleteBin({ series, to }: Stats, interval: Interval, zone: string): string | null {
  const start = binAt(Date.parse(to), interval, zone);
  return start === to ? null : (series.at(-1)?.start ?? null);
}

/** The titles of bins, by their start. */
export function binTitles(stats: Stats, interval: Interval, zone: string): (start: string) => string {
  const incomplete = incompleteBin(stats, interval, zone);
  return (start) => {
    const title = binTitle(start, interval, zone);
    return start === incomplete ? statsTexts.incompleteBin(title) : title;
  };
}

function binAt(at: number, interval: Interval, zone: string): string {
  return timestamp(binStart(interval, zone, at));
}

function notesQuery(mode: Mode, linkId: string) {
  return queryOptions({
    queryKey: [mode, "notes", linkId],
    queryFn: () => unwrap(apiClients[mode].links[":id"].notes.$get({ param: { id: linkId } })),
  });
}

/** The latest changes of a link, and the notes. The chart is complete without them, so errors are not shown. */
export function useAnnotations({ link }: StatsSubject): Annotation[] {
  const { mode } = useApi();
  const revisions = useRevisions(link?.id ?? null).data?.pages.flatMap((page) => page.data) ?? [];
  const notes = useQuery(notesQuery(mode, link?.id ?? ALL_LINKS)).data?.data ?? [];
  return [...changesIn(revisions), ...notes.map((note) => ({ at: note.at, text: note.text, note }))];
}

interface AnnotationListProps {
  annotations: readonly Annotation[];
  linkId: string;
  zone: string;
}

/** @param linkId  of a link, or `ALL_LINKS` */
export function AnnotationList({ annotations, linkId, zone }: AnnotationListProps) {
  const [isAdding, adding] = useDisclosure();
  return (
    <>
      {annotations.length > 0 && (
        <ol className={classes.annotations} aria-label={texts.list}>
          {annotations.map((annotation, index) => (
            <AnnotationItem
              key={annotation.note?.id ?? annotation.at}
              annotation={annotation}
              number={index + 1}
              linkId={linkId}
              zone={zone}
            />
          ))}
        </ol>
      )}
      <FlatButton mt="xs" data-not-in-image leftSection={icon("plus", 14)} onClick={adding.open}>
        {texts.add}
      </FlatButton>
      {isAdding && <NoteForm linkId={linkId} zone={zone} onClose={adding.close} />}
    </>
  );
}

interface AnnotationItemProps extends Pick<AnnotationListProps, "linkId" | "zone"> {
  annotation: Annotation;
  number: number;
}

function AnnotationItem({ annotation: { at, text, note }, number, linkId, zone }: AnnotationItemProps) {
  const { api, mode } = useApi();
  const [isEditing, editing] = useDisclosure();
  const removal = useRemoval({
    texts: texts.removal,
    remove: (id: string) => unwrap(api.links[":id"].notes[":note"].$delete({ param: { id: linkId, note: id } })),
    refreshed: notesQuery(mode, linkId).queryKey,
  });
  const actions = note
    ? [
        { label: texts.editOne(text), sign: icon("pencil", 14), onClick: editing.open },
        { label: texts.deleteOne(text), sign: icon("x", 14), onClick: () => removal.ask(note.id, text) },
      ]
    : [];
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
      {actions.map((action) => (
        <IconButton key={action.label} size="xs" data-not-in-image {...action} />
      ))}
      {note && isEditing && <NoteForm linkId={linkId} zone={zone} note={note} onClose={editing.close} />}
    </Group>
  );
}

interface NoteFormProps extends Pick<AnnotationListProps, "linkId" | "zone"> {
  /** The note to edit; a new one without it. */
  note?: LinkNote;
  onClose: () => void;
}

function NoteForm({ linkId: id, zone, note, onClose }: NoteFormProps) {
  const { api, mode } = useApi();
  const [now] = useState(() => new Date().toISOString());
  const shown = note?.at ?? now;
  const { form, draft, save } = useSavedForm({
    name: `note:${note?.id ?? id}`,
    initialValues: { text: note?.text ?? "", at: toDatetimeLocal(shown, zone) },
    send: ({ text, at }, init) => {
      const { notes } = api.links[":id"];
      const param = { id, note: note?.id ?? "" };
      const json = { at: fromDatetimeLocal(at, zone, shown), text };
      return unwrap<unknown>(note ? notes[":note"].$put({ param, json }, init) : notes.$post({ param, json }, init));
    },
    saved: () => texts.saved,
    refresh: () => queryClient.invalidateQueries(notesQuery(mode, id)),
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
        <FormButtons isPending={save.isPending} />
      </Form>
    </FormModal>
  );
}
