/** Dialog that creates one link: the form, then what was made of it. */
import { Modal } from "@mantine/core";
import { useState } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { useApi } from "../../api/client.ts";
import { createLinkTexts as texts } from "../../texts/links.ts";
import { CreateLinkForm } from "./create-link-form.tsx";
import { CreatedLink } from "./created-link.tsx";

interface CreateLinkProps {
  /** A destination that was pasted. */
  url: string;
  /** @param lines  several links that were pasted into the destination */
  onManyPasted: (lines: string[]) => void;
  onClose: () => void;
}

export default function CreateLink({ url, onManyPasted, onClose }: CreateLinkProps) {
  const { mode } = useApi();
  const [created, setCreated] = useState<Link>();
  return (
    <Modal opened onClose={onClose} title={created ? texts.created : texts.title[mode]} size="lg">
      {created ? (
        <CreatedLink link={created} onAnother={() => setCreated(undefined)} onClose={onClose} />
      ) : (
        <CreateLinkForm url={url} onCreated={setCreated} onManyPasted={onManyPasted} onCancel={onClose} />
      )}
    </Modal>
  );
}
