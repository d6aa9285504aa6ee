/** Dialog that edits a link from the list: rows have no ETag, so the link is read first. */
import { Modal } from "@mantine/core";

import { ErrorState } from "../../components/states.tsx";
import { editLinkTexts as texts } from "../../texts/link.ts";
import EditLink from "../link/edit-link.tsx";
import { useLink } from "../link/use-link.ts";

export default function EditListedLink({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, isFetchedAfterMount, refetch } = useLink(id);
  if (error) {
    return (
      <Modal opened onClose={onClose} title={texts.dialog} size="lg">
        <ErrorState error={error} retry={() => void refetch()} />
      </Modal>
    );
  }
  return data && isFetchedAfterMount ? <EditLink current={data} onClose={onClose} /> : null;
}
