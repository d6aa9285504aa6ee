/**
 * What happened to a link while clicks were counted: changes from its history that affect where visitors go, and notes.
 * They are numbered on the chart and in the list below it, which also adds and deletes notes.
 */
import { Button, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import type { Mode } from "../../../../core/account.ts";
import { binStarts } from "../../../../core/clicks/counting/calendar.ts";
import type { Interval } from "../../../../core/clicks/counting/groupings.ts";
import type { LinkNote } from "../../../../core/contract/dashboard.ts";
import type { LinkRevision } from "../../../../core/contract/link-revisions.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { LINK_NOTE_MAX_CHARS } from "../../../../core/limits.ts";
import { apiClients, unwrap, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { FlatButton, IconButton } from "../../../components/buttons.tsx";
import { useRemoval } from "../../../components/confirm-removal.tsx";
import { FormError } from "../../../components/form.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { fromDatetimeLocal, toDatetimeLocal } from "../../../formatting/datetime-local.ts";
import { icon } from "../../../icons.tsx";
import { historyTexts } from "../../../texts/history.ts";
import { noteTexts as texts, statsTexts } from "../../../texts/stats.ts";
import { useRevisions } from "../history/use-revisions.ts";
import classes from "./series-card.module.css";
import type { StatsSubject } from "./use-stats.ts";

export interface Annotation {
  /** ISO 8601. */
  at: string;
  text: string;
  /** Can be deleted, unlike changes. */
  note?: LinkNote;
}

/** The annotations of a bin, by their numbers in the list below the chart. */
export interface NumberedAnnotation {
  start: string;
  numbers: number[];
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

/** The bins of annotations, which are numbered in their order from 1. */
export function annotatedBins(
  annotations: readonly Annotation[],
  series: Stats["series"],
  interval: Interval,
  zone: string,
): NumberedAnnotation[] {
  const last = series.at(-1)?.start;
  if (last === undefined) return [];
  const bins = new Map<string, number[]>();
  for (const [index, { at }] of annotations.entries()) {
    const bin = binAt(Date.parse(at), interval, zone);
    const start = bin < last ? bin : last;
    bins.set(start, [...(bins.get(start) ?? []), index + 1]);
  }
  return [...bins].map(([start, numbers]) => ({ start, numbers }));
}

/** The start of the last bin if the range ends within it; null if all bins are complete. */
export function incompleteBin({ series, to }: Stats, interval: Interval, zone: string): string | null {
  const start = binAt(Date.parse(to), interval, zone);
  return start === to ? null : (series.at(-1)?.start ?? null);
}

function binAt(at: number, interval: Interval, zone: string): string {
  return new Date(binStarts(interval, zone, at, at + 1, 1)?.[0] ?? at).toISOString();
}

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
  const revisions = useRevisions(link?.id ?? null).data?.pages.flatMap((page) => page.data) ?? [];
  const notes = useQuery(notesQuery(mode, link?.id ?? "")).data?.data ?? [];
  return [...changesIn(revisions), ...notes.map((note) => ({ at: note.at, text: note.text, note }))];
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
