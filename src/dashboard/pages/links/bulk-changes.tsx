/** Dialogs that change the selected links, hand them over to the API, or delete them. */
import { Checkbox, Radio, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { URL_MAX_CHARS } from "../../../core/limits.ts";
import { useAccount } from "../../api/account.ts";
import { Hint } from "../../components/buttons.tsx";
import { ExactInput } from "../../components/inputs.tsx";
import { ScrollRegion } from "../../components/refused-list.tsx";
import { useDraftState } from "../../components/use-draft.ts";
import { browserTimeZone, fromDatetimeLocal } from "../../formatting/dates.ts";
import { linkName } from "../../formatting/hosts.ts";
import { memberTexts } from "../../texts/link-form.ts";
import {
  bulkActionTexts as texts,
  bulkDestinationTexts as destinationTexts,
  deleteLinkTexts,
  handOverTexts,
  switchTexts,
} from "../../texts/links.ts";
import { BulkDialog, type BulkDialogProps, type BulkRequest, expectedRevision } from "./bulk-dialog.tsx";
import { TagsField } from "./form-sections.tsx";
import { replaceDestinations } from "./link-form.ts";
import { type Switch, SWITCHES } from "./switch-actions.tsx";
import { addTags, removeTags } from "./tag-lists.ts";

const DIALOGS = {
  tags: BulkTags,
  destination: BulkDestination,
  expiry: BulkExpiry,
  pause: switchDialog("pause"),
  resume: switchDialog("resume"),
  archive: switchDialog("archive"),
  unarchive: switchDialog("unarchive"),
  // After a confirmation, since this cannot be undone.
  handOver: plainDialog(handOverTexts, { kind: "hand_over" }),
  delete: BulkDelete,
};

export type BulkAction = keyof typeof DIALOGS;

export default function BulkChange({ action, ...dialog }: BulkDialogProps & { action: BulkAction }) {
  const Dialog = DIALOGS[action];
  return <Dialog {...dialog} />;
}

const NO_TAGS = { action: "add", tags: [] as string[] };

/** Adds tags to the selected links, or removes them. */
function BulkTags(props: BulkDialogProps) {
  const [{ action, tags }, change, draft] = useDraftState("bulk-tags", NO_TAGS);
  const changed = action === "add" ? addTags : removeTags;
  return (
    <BulkDialog
      {...props}
      title={texts.tagTitle(props.links.length)}
      request={
        tags.length === 0
          ? null
          : {
              kind: "update",
              changes: (link) => {
                const all = changed(link.tags ?? [], tags);
                return { tags: all.length > 0 ? all : null, ...expectedRevision(link) };
              },
            }
      }
      draft={draft}
    >
      <SegmentedControl
        aria-label={texts.tagAction}
        value={action}
        onChange={(value) => change({ action: value })}
        data={[
          { value: "add", label: texts.addTags },
          { value: "remove", label: texts.removeTags },
        ]}
      />
      <TagsField label={memberTexts.tags} value={tags} onChange={(typed) => change({ tags: typed })} />
    </BulkDialog>
  );
}

/** Rules of a hundred links may have thousands. */
const SHOWN_MAX = 300;

const NO_TEXTS = { find: "", replacement: "", isEverywhere: true };

/** Replaces a text in the destinations of the selected links, and shows each change before it is made. */
function BulkDestination(props: BulkDialogProps) {
  const [{ find, replacement, isEverywhere }, change, draft] = useDraftState("bulk-destination", NO_TEXTS);
  // Changed links could contain the text again.
  const [refused, setRefused] = useState<ReadonlySet<string>>();
  const links = refused ? props.links.filter(({ id }) => refused.has(id)) : props.links;
  const { data: account } = useAccount();
  const parts = { rules: isEverywhere && account?.plan === "premium", fallback: isEverywhere };
  const replace = (link: Link) => replaceDestinations(link, find, replacement, parts);
  const changed = links.map((link) => ({ link, ...replace(link) })).filter(({ changes }) => changes !== null);
  const lines = changed.flatMap(({ link, texts: all }) => all.map((line) => ({ link, ...line })));
  return (
    <BulkDialog
      {...props}
      onSelect={(ids) => {
        setRefused(new Set(ids));
        props.onSelect(ids);
      }}
      size="lg"
      title={destinationTexts.title(props.links.length)}
      submitLabel={destinationTexts.submit(changed.length)}
      request={
        changed.length === 0
          ? null
          : {
              kind: "update",
              changes: (link) => {
                const { changes } = replace(link);
                return changes && { ...changes, ...expectedRevision(link) };
              },
            }
      }
      draft={draft}
    >
      <ExactInput
        label={destinationTexts.find}
        description={destinationTexts.findHint}
        placeholder="https://old.example.com/"
        data-autofocus
        maxLength={URL_MAX_CHARS}
        value={find}
        onChange={(event) => change({ find: event.currentTarget.value })}
      />
      <ExactInput
        label={destinationTexts.replacement}
        placeholder="https://new.example.com/"
        maxLength={URL_MAX_CHARS}
        value={replacement}
        onChange={(event) => change({ replacement: event.currentTarget.value })}
      />
      <Checkbox
        label={destinationTexts.everywhere}
        checked={isEverywhere}
        onChange={(event) => change({ isEverywhere: event.currentTarget.checked })}
      />
      <Hint role="status">
        {find === "" ? destinationTexts.needsText : destinationTexts.preview(changed.length, links.length)}
      </Hint>
      {lines.length > 0 && (
        <ScrollRegion label={destinationTexts.changes} mah={280}>
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none", overflowWrap: "anywhere" }}>
            {lines.slice(0, SHOWN_MAX).map(({ link, before, after, isUrl }, i) => (
              <li key={i}>
                <Text size="sm" fw={600}>
                  {linkName(link)}
                </Text>
                <Text component="del" display="block" size="sm" c="dimmed" td="line-through">
                  {before}
                </Text>
                <Text component="ins" display="block" size="sm" td="none" {...(isUrl ? {} : { c: "red" })}>
                  {after}
                  {!isUrl && ` (${destinationTexts.noUrl})`}
                </Text>
              </li>
            ))}
          </Stack>
          {lines.length > SHOWN_MAX && <Hint mt="sm">{destinationTexts.more(lines.length - SHOWN_MAX)}</Hint>}
        </ScrollRegion>
      )}
    </BulkDialog>
  );
}

const CHOICES = ["at", "now", "never"] as const;
type Choice = (typeof CHOICES)[number];

/** Sets or removes the expiry of the selected links. */
function BulkExpiry(props: BulkDialogProps) {
  const [{ choice: chosen, time }, change, draft] = useDraftState("bulk-expiry", { choice: "at", time: "" });
  const choice = CHOICES.find((one) => one === chosen) ?? "at";
  const expiry = expiryOf(choice, time);
  return (
    <BulkDialog
      {...props}
      title={texts.expiryTitle(props.links.length)}
      request={expiry === undefined ? null : { kind: "update", changes: () => ({ expires_at: expiry() }) }}
      draft={draft}
    >
      <Radio.Group label={texts.expiry} value={choice} onChange={(value) => change({ choice: value })}>
        <Stack gap="xs" mt="xs">
          {CHOICES.map((value) => (
            <Radio key={value} value={value} label={texts.expiryChoices[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {choice === "at" && (
        <TextInput
          label={memberTexts.expires_at}
          description={texts.timeZoneHint}
          type="datetime-local"
          max="9998-12-31T23:59"
          value={time}
          onChange={(event) => change({ time: event.currentTarget.value })}
        />
      )}
    </BulkDialog>
  );
}

/** @returns the value to send, computed on sending; undefined until the time is filled in */
function expiryOf(choice: Choice, time: string): (() => string | null) | undefined {
  if (choice === "never") return () => null;
  if (choice === "now") return () => new Date().toISOString();
  const at = fromDatetimeLocal(time, browserTimeZone());
  return at === "" ? undefined : () => at;
}

/** Pauses the selected links after a confirmation. Other changes keep no visitor out, and need none. */
function switchDialog(name: Switch) {
  return plainDialog(switchTexts[name], { kind: "update", changes: () => SWITCHES[name].changes }, name !== "pause");
}

type DialogTexts = Record<"title" | "changed", (count: number) => string> & Record<"label" | "hint", string>;

/** A dialog without inputs. */
function plainDialog({ title, label, hint, changed }: DialogTexts, request: BulkRequest, isImmediate = false) {
  return function PlainDialog(props: BulkDialogProps) {
    return (
      <BulkDialog
        {...props}
        title={title(props.links.length)}
        submitLabel={label}
        request={request}
        doneMessage={changed}
        isImmediate={isImmediate}
      >
        <Text size="sm">{hint}</Text>
      </BulkDialog>
    );
  };
}

/** Deletes the selected links after a confirmation. */
function BulkDelete(props: BulkDialogProps) {
  const [erase, setErase] = useState(false);
  return (
    <BulkDialog
      {...props}
      title={texts.deleteTitle(props.links.length)}
      submitLabel={texts.deleteLinks(props.links.length)}
      submitProps={{ color: "red.9" }}
      request={{ kind: "delete", erase }}
      doneMessage={texts.deleted}
    >
      <Text size="sm">{texts.deleteWarning}</Text>
      <Checkbox
        label={texts.erase}
        description={deleteLinkTexts.eraseHint}
        checked={erase}
        onChange={(event) => setErase(event.currentTarget.checked)}
      />
    </BulkDialog>
  );
}
