/** Deletes a link after a confirmation, since its slug is never issued again. */
import { Checkbox, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useQueryClient } from "@tanstack/react-query";

import type { Link } from "../../../core/contract/links.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { linkName } from "../../formatting/hosts.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { deleteLinkTexts as texts } from "../../texts/links.ts";

interface LinkDeletion {
  link: Link;
  /** Also deletes its clicks. */
  erase: boolean;
}

/** @param onDeleted  called once the link is gone */
export function useDeleteLink(onDeleted?: () => void): (link: Link) => void {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const remove = useSingleMutation({
    mutationFn: ({ link: { id }, erase }: LinkDeletion) =>
      unwrap(api.links[":id"].$delete({ param: { id }, query: erase ? { erase: "true" } : {} })),
    onSuccess: (_, { link }) => {
      notifySuccess(texts.deleted(linkName(link)));
      onDeleted?.();
      return queries.invalidateQueries({ queryKey: [mode, "links"] });
    },
    onError: (error) => notifyError(texts.failed, error),
  });
  return (link) => {
    let erase = false;
    modals.openConfirmModal({
      title: texts.title,
      children: (
        <Stack>
          <Text size="sm">
            <strong>{linkName(link)}</strong> {texts.warning}
          </Text>
          <Checkbox
            label={texts.erase}
            description={texts.eraseHint}
            onChange={(event) => (erase = event.currentTarget.checked)}
          />
        </Stack>
      ),
      labels: { confirm: texts.confirm, cancel: texts.cancel },
      confirmProps: { color: "red.9" },
      onConfirm: () => remove.mutate({ link, erase }),
    });
  };
}
