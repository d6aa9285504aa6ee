/** Dialogs that change the selected links, hand them over to the API, or delete them. */
import { Checkbox, Radio, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import { useDraftState } from "../../components/use-draft.ts";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { memberTexts } from "../../texts/link-form.ts";
import { bulkActionTexts as texts, deleteLinkTexts, switchTexts } from "../../texts/links.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { BulkDestination } from "./bulk-destination.tsx";
import { BulkDialog, type BulkDialogProps, expectedRevision } from "./bulk-dialog.tsx";
import { type Switch, SWITCHES } from "./switch-actions.tsx";
import { addTags, removeTags } from "./tag-lists.ts";
import { TagsField } from "./tags-field.tsx";

const DIALOGS = {
  tags: BulkTags,
  destination: BulkDestination,
  expiry: BulkExpiry,
  pause: switchDialog("pause"),
  resume: switchDialog("resume"),
  archive: switchDialog("archive"),
  unarchive: switchDialog("unarchive"),
  handOver: BulkHandOver,
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
      submitLabel={buttonTexts.save}
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
      doneMessage={texts.tagged}
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
      submitLabel={buttonTexts.save}
      request={expiry === undefined ? null : { kind: "update", changes: () => ({ expires_at: expiry() }) }}
      doneMessage={texts.expirySet}
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
  const at = fromDatetimeLocal(time, BROWSER_TIME_ZONE);
  return at === "" ? undefined : () => at;
}

/** Pauses the selected links after a confirmation. Other changes keep no visitor out, and need none. */
function switchDialog(name: Switch) {
  const { title, label, hint, changed } = switchTexts[name];
  const request = { kind: "update", changes: () => SWITCHES[name].changes } as const;
  return function BulkSwitch(props: BulkDialogProps) {
    return (
      <BulkDialog
        {...props}
        title={title(props.links.length)}
        submitLabel={label}
        request={request}
        doneMessage={changed}
        isImmediate={name !== "pause"}
      >
        <Text size="sm">{hint}</Text>
      </BulkDialog>
    );
  };
}

/** Hands the selected links over to the API after a confirmation, since this cannot be undone. */
function BulkHandOver(props: BulkDialogProps) {
  return (
    <BulkDialog
      {...props}
      title={texts.handOverTitle(props.links.length)}
      submitLabel={texts.handOver}
      request={{ kind: "hand_over" }}
      doneMessage={texts.handedOver}
    >
      <Text size="sm">{texts.handOverHint}</Text>
    </BulkDialog>
  );
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
