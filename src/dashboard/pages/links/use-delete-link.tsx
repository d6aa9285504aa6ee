/** Deletes a link after a confirmation, since its slug is never issued again. */
import { Checkbox } from "@mantine/core";

import type { Link } from "../../../core/contract/links.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { confirmRemoval } from "../../components/confirm-removal.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { deleteLinkTexts as texts } from "../../texts/links.ts";

interface LinkDeletion {
  link: Link;
  /** Also deletes its clicks. */
  erase: boolean;
}

/** @param onDeleted  called once the link is gone */
export function useDeleteLink(onDeleted?: () => void): (link: Link) => void {
  const { api, mode } = useApi();
  const remove = useNotifiedMutation({
    mutationFn: ({ link: { id }, erase }: LinkDeletion) =>
      unwrap(api.links[":id"].$delete({ param: { id }, query: erase ? { erase: "true" } : {} })),
    done: ({ link }) => texts.deleted(linkName(link)),
    failed: texts.failed,
    refreshed: [mode, "links"],
    onSuccess: () => onDeleted?.(),
  });
  return (link) => {
    let erase = false;
    confirmRemoval({
      title: texts.title,
      name: linkName(link),
      warning: texts.warning,
      choice: (
        <Checkbox
          label={texts.erase}
          description={texts.eraseHint}
          onChange={(event) => (erase = event.currentTarget.checked)}
        />
      ),
      confirm: texts.confirm,
      onConfirm: () => remove.mutate({ link, erase }),
    });
  };
}
