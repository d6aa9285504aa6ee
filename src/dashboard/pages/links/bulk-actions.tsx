/** What is done with all selected links at once: buttons, and the dialog of the one chosen. */
import { Button, Group } from "@mantine/core";
import { useState } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { icon } from "../../icons.tsx";
import { bulkActionTexts as texts } from "../../texts/links.ts";
import type { BulkAction } from "./bulk-changes.tsx";

const BulkChange = lazyDialog(() => import("./bulk-changes.tsx"));

interface BulkActionsProps {
  selected: readonly Link[];
  /** Selects these instead: none, or those that were refused. */
  onSelect: (ids: readonly string[]) => void;
}

const ACTIONS = [
  { name: "tags", label: texts.tag, sign: icon("tag", 16) },
  { name: "expiry", label: texts.setExpiry, sign: icon("clock-x", 16) },
  { name: "delete", label: texts.delete, sign: icon("trash", 16) },
] as const satisfies readonly { name: BulkAction; label: string; sign: unknown }[];

export function BulkActions({ selected, onSelect }: BulkActionsProps) {
  // The links of the dialog stay those that it was opened for, while the list below is read again.
  const [open, setOpen] = useState<{ action: BulkAction; links: readonly Link[] }>();
  return (
    <>
      {selected.length > 0 && (
        <Group gap="xs" role="group" aria-label={texts.actions}>
          {ACTIONS.map(({ name, label, sign }) => (
            <Button
              key={name}
              variant="default"
              size="compact-sm"
              leftSection={sign}
              onClick={() => setOpen({ action: name, links: selected })}
            >
              {label}
            </Button>
          ))}
        </Group>
      )}
      {open && <BulkChange {...open} onSelect={onSelect} onClose={() => setOpen(undefined)} />}
    </>
  );
}
