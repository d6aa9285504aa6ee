/** Adds tags to the selected links, or removes them. */
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";

import { bulkActionTexts as texts } from "../../texts/links.ts";
import { BulkDialog, type BulkDialogProps } from "./bulk-dialog.tsx";
import { addTags, removeTags } from "./tag-lists.ts";
import { TagsField } from "./tags-field.tsx";

export default function BulkTags(props: BulkDialogProps) {
  const [action, setAction] = useState<"add" | "remove">("add");
  const [tags, setTags] = useState<string[]>([]);
  const change = action === "add" ? addTags : removeTags;
  return (
    <BulkDialog
      {...props}
      title={texts.tagTitle(props.links.length)}
      submitLabel={texts.save}
      request={
        tags.length === 0
          ? null
          : {
              kind: "update",
              changes: (link) => {
                const changed = change(link.tags ?? [], tags);
                return { tags: changed.length > 0 ? changed : null };
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
      <TagsField label={texts.tags} value={tags} onChange={setTags} />
    </BulkDialog>
  );
}
