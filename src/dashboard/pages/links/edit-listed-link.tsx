/** Dialog that edits a link from the list: rows have no ETag, so the link is read first. */
import { Modal } from "@mantine/core";
import { useState } from "react";

import { ErrorState } from "../../components/states.tsx";
import { editLinkTexts as texts } from "../../texts/link.ts";
import EditLink from "../link/edit-link.tsx";
import { type LinkWithEtag, useLink } from "../link/use-link.ts";

export default function EditListedLink({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, isFetching, refetch } = useLink(id);
  const [current, setCurrent] = useState<LinkWithEtag>();
  // Waits for the newest revision, and keeps it: a later fetch must not close the form.
  if (!current && data && !isFetching) setCurrent(data);
  if (current) return <EditLink current={current} onClose={onClose} />;
  return (
    error && (
      <Modal opened onClose={onClose} title={texts.dialog} size="lg">
        <ErrorState error={error} retry={() => void refetch()} />
      </Modal>
    )
  );
}
