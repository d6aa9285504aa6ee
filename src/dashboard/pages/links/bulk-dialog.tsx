/** Frame of a dialog that changes the selected links: the form, what was refused, and the buttons. */
import { Alert, Button, type ButtonProps, Group, Modal, ScrollArea, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { errorMessage } from "../../api/api-error.ts";
import { linkName } from "../../formatting/hosts.ts";
import { notifySuccess } from "../../notifications.ts";
import { bulkActionTexts as texts } from "../../texts/links.ts";
import { type BulkRequest, type RefusedLink, useBulkChange } from "./use-bulk-change.ts";

export interface BulkDialogProps {
  links: readonly Link[];
  onSelect: (ids: readonly string[]) => void;
  onClose: () => void;
}

interface BulkDialogFrameProps extends BulkDialogProps {
  title: string;
  submitLabel: string;
  submitProps?: ButtonProps;
  /** Null: the form is not filled in. */
  request: BulkRequest | null;
  /** @param count  of the links that were changed */
  doneMessage: (count: number) => string;
  children: ReactNode;
}

export function BulkDialog({
  links,
  onSelect,
  onClose,
  title,
  submitLabel,
  submitProps,
  request,
  doneMessage,
  children,
}: BulkDialogFrameProps) {
  const [remaining, setRemaining] = useState(links);
  const change = useBulkChange((changed, refusedIds) => {
    onSelect(refusedIds);
    if (changed > 0) notifySuccess(doneMessage(changed));
    if (refusedIds.length === 0) onClose();
    else setRemaining((before) => before.filter(({ id }) => refusedIds.includes(id)));
  });
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={!change.isPending}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (request) change.run(remaining, request);
        }}
      >
        <Stack>
          {children}
          <Failure error={change.error} refused={change.refused} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {change.refused.length > 0 ? texts.close : texts.cancel}
            </Button>
            <Button type="submit" loading={change.isPending} disabled={request === null} {...submitProps}>
              {change.refused.length > 0 || change.error ? texts.tryAgain : submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Failure({ error, refused }: { error: unknown; refused: readonly RefusedLink[] }) {
  if (error) {
    return (
      <Alert color="red" variant="light" role="alert">
        {errorMessage(error)}
      </Alert>
    );
  }
  if (refused.length === 0) return null;
  return (
    <Alert color="red" variant="light" role="alert" title={texts.refused(refused.length)}>
      <ScrollArea.Autosize mah={200} viewportProps={{ tabIndex: 0, role: "region", "aria-label": texts.refusedLinks }}>
        <Stack component="ul" gap={4} m={0} pl="md">
          {refused.map(({ link, message }) => (
            <Text key={link.id} component="li" size="sm" style={{ overflowWrap: "anywhere" }}>
              {linkName(link)}: {message}
            </Text>
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Alert>
  );
}
