/** Deletes the selected links after a confirmation. */
import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";

import { bulkActionTexts as texts, deleteLinkTexts } from "../../texts/links.ts";
import { BulkDialog, type BulkDialogProps } from "./bulk-dialog.tsx";

export default function BulkDelete(props: BulkDialogProps) {
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
