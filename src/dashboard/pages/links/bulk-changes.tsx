/** Dialogs that change the selected links, hand them over to the API, or delete them. */
import { Checkbox, Radio, SegmentedControl, Stack, Text, TextInput, Alert, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState, type ReactNode } from "react";

import type { HandOverResult } from "../../../core/contract/dashboard.ts";
import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { errorMessage } from "../../api/api-error.ts";
import { type ApiClient, unwrap, useApi } from "../../api/client.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { FormButtons } from "../../components/form.tsx";
import { RefusedList } from "../../components/refused-list.tsx";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { linkName } from "../../formatting/hosts.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { notifySuccess } from "../../notifications.ts";
import { memberTexts } from "../../texts/link-form.ts";
import { bulkActionTexts as texts, deleteLinkTexts, switchTexts } from "../../texts/links.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { type Switch, SWITCHES } from "./switch-actions.tsx";
import { addTags, removeTags } from "./tag-lists.ts";
import { TagsField } from "./tags-field.tsx";

const DIALOGS = {
  tags: BulkTags,
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

/** Adds tags to the selected links, or removes them. */
function BulkTags(props: BulkDialogProps) {
  const [action, setAction] = useState<"add" | "remove">("add");
  const [tags, setTags] = useState<string[]>([]);
  const change = action === "add" ? addTags : removeTags;
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
                const changed = change(link.tags ?? [], tags);
                // The list of tags is replaced as a whole: one that is newer than the row must not be overwritten.
                const expected = link.revision === undefined ? {} : { revision: link.revision };
                return { tags: changed.length > 0 ? changed : null, ...expected };
              },
            }
      }
      doneMessage={texts.tagged}
    >
      <SegmentedControl
        aria-label={texts.tagAction}
        value={action}
        onChange={(value) => setAction(value === "remove" ? "remove" : "add")}
        data={[
          { value: "add", label: texts.addTags },
          { value: "remove", label: texts.removeTags },
        ]}
      />
      <TagsField label={memberTexts.tags} value={tags} onChange={setTags} />
    </BulkDialog>
  );
}

const CHOICES = ["at", "now", "never"] as const;
type Choice = (typeof CHOICES)[number];

/** Sets or removes the expiry of the selected links. */
function BulkExpiry(props: BulkDialogProps) {
  const [choice, setChoice] = useState<Choice>("at");
  const [time, setTime] = useState("");
  const expiry = expiryOf(choice, time);
  return (
    <BulkDialog
      {...props}
      title={texts.expiryTitle(props.links.length)}
      submitLabel={buttonTexts.save}
      request={expiry === undefined ? null : { kind: "update", changes: () => ({ expires_at: expiry() }) }}
      doneMessage={texts.expirySet}
    >
      <Radio.Group
        label={texts.expiry}
        value={choice}
        onChange={(value) => setChoice(CHOICES.find((one) => one === value) ?? "at")}
      >
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
          onChange={(event) => setTime(event.currentTarget.value)}
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

export interface BulkDialogProps {
  /** A stable list of the links, as last fetched. */
  links: readonly Link[];
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

interface BulkDialogFrameProps extends BulkDialogProps {
  title: string;
  submitLabel: string;
  submitProps?: { color: string };
  /** Null until the form is filled in. */
  request: BulkRequest | null;
  /** @param count  of the changed links */
  doneMessage: (count: number) => string;
  /** Sends the request immediately, and opens only if it fails or links are refused. */
  isImmediate?: boolean;
  children: ReactNode;
}

/** Frame of a dialog that changes the selected links: the form, the refused links, and the buttons. */
function BulkDialog(props: BulkDialogFrameProps) {
  const { links, onSelect, onClose, submitLabel, request, isImmediate = false } = props;
  const [isOpen, { open }] = useDisclosure(!isImmediate);
  const [refusedIds, setRefusedIds] = useState<readonly string[]>();
  const remaining = refusedIds ? links.filter(({ id }) => refusedIds.includes(id)) : links;
  const change = useBulkChange((changed, refused) => {
    onSelect(refused);
    if (changed > 0) notifySuccess(props.doneMessage(changed));
    if (refused.length === 0) onClose();
    else setRefusedIds(refused);
  });
  const begin = useEffectEvent(() => request && change.run(links, request));
  useEffect(() => {
    if (!isImmediate) return;
    const timer = setTimeout(begin);
    return () => clearTimeout(timer);
  }, [isImmediate]);
  if (!isOpen && (change.error || change.refused.length > 0)) open();
  return (
    <Modal opened={isOpen} onClose={onClose} title={props.title} closeOnClickOutside={!change.isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (request) change.run(remaining, request);
        }}
      >
        <Stack>
          {props.children}
          {change.error && <Alert color="red">{errorMessage(change.error)}</Alert>}
          {!change.error && (
            <RefusedList
              title={texts.refused(change.refused.length)}
              label={texts.refusedLinks}
              lines={change.refused.map(({ link, message }) => `${linkName(link)}: ${message}`)}
            />
          )}
          <FormButtons
            onCancel={onClose}
            {...(change.refused.length > 0 ? { cancel: buttonTexts.close } : {})}
            submit={change.refused.length > 0 || change.error ? buttonTexts.tryAgain : submitLabel}
            isPending={change.isPending}
            disabled={request === null}
            {...props.submitProps}
          />
        </Stack>
      </form>
    </Modal>
  );
}

type BulkRequest =
  | { kind: "delete"; erase: boolean }
  | { kind: "hand_over" }
  | { kind: "update"; changes: (link: Link) => LinkChanges };

type LinkChanges = UpdateLink & Pick<Link, "revision">;

interface RefusedLink {
  link: Link;
  message: string;
}

/**
 * Changes or deletes the selected links in one request, and keeps the reasons for refused ones.
 * @param onDone  called with the number of changed links, and the ids of the refused ones
 */
function useBulkChange(onDone: (changed: number, refusedIds: readonly string[]) => void) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const [refused, setRefused] = useState<readonly RefusedLink[]>([]);
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: [mode, "links"] });
    void queries.invalidateQueries({ queryKey: [mode, "link"] });
  };
  const change = useAbortableMutation({
    mutationFn: ({ links, request }: { links: readonly Link[]; request: BulkRequest }, signal) => {
      setRefused([]);
      return send(api, links, request, signal);
    },
    onSuccess: (results, { links }) => {
      const failures = links.flatMap((link, index) => refusalOf(link, results[index]));
      setRefused(failures);
      refresh();
      onDone(
        links.length - failures.length,
        failures.map(({ link }) => link.id),
      );
    },
    // If the response was lost, the links may have changed.
    onError: refresh,
  });
  return {
    run: (links: readonly Link[], request: BulkRequest) => change.mutate({ links, request }),
    isPending: change.isPending,
    /** The request failed as a whole: either nothing changed, or the response was lost. */
    error: change.error,
    refused,
  };
}

type ItemResult = { error?: { message: string; errors?: { message: string }[] | undefined } };

async function send(
  api: ApiClient,
  links: readonly Link[],
  request: BulkRequest,
  signal: AbortSignal,
): Promise<ItemResult[]> {
  const options = { init: { signal } };
  if (request.kind === "hand_over") {
    const json = { links: links.map(({ id }) => ({ id })) };
    return (await unwrap<HandOverResult>(api.links["hand-over"].$post({ json }, options))).results as ItemResult[];
  }
  if (request.kind === "delete") {
    const json = { links: links.map(({ id }) => ({ id })), erase: request.erase };
    return (await unwrap(api.links["bulk-delete"].$post({ json }, options))).results as ItemResult[];
  }
  const json = { links: links.map((link) => ({ id: link.id, ...request.changes(link) })) };
  return (await unwrap(api.links["bulk-update"].$post({ json }, options))).results as ItemResult[];
}

function refusalOf(link: Link, result: ItemResult | undefined): RefusedLink[] {
  if (result && !result.error) return [];
  const problems = result?.error?.errors?.map(({ message }) => message).join("; ");
  return [{ link, message: problems || result?.error?.message || texts.noAnswer }];
}
