/** Deletes a link after a confirmation, because its slug is never issued again. */
import { Checkbox } from "@mantine/core";

import type { Link } from "../../../core/contract/links.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useRemoval } from "../../components/confirm-removal.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { deleteLinkTexts as texts } from "../../texts/links.ts";

/** @param onDeleted  called after the link is deleted */
export function useDeleteLink(onDeleted: () => void = () => {}): (link: Link) => void {
  const { api, mode } = useApi();
  const deletion = useRemoval({
    texts,
    remove: ({ id, erase }: { id: string; erase: boolean }) =>
      unwrap(api.links[":id"].$delete({ param: { id }, query: erase ? { erase: "true" } : {} })),
    refreshed: [mode, "links"],
    onSuccess: onDeleted,
  });
  return (link) => {
    const deleted = { id: link.id, erase: false };
    deletion.ask(
      deleted,
      linkName(link),
      <Checkbox
        label={texts.erase}
        description={texts.eraseHint}
        onChange={(event) => (deleted.erase = event.currentTarget.checked)}
      />,
    );
  };
}
