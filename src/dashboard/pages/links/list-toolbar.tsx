/** Above the rows: select the page, which links are shown, export. */
import { Button, Checkbox, Group, Text } from "@mantine/core";
import { Link as RouteLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { IconDownload, IconFileImport } from "../../icons.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { linkListTexts as texts } from "../../texts/links.ts";
import { isFiltered } from "./links-view.ts";
import type { LinksViewState } from "./use-links-view.ts";
import { useTotalLinks } from "./use-total-links.ts";
import classes from "./link-list.module.css";

interface ListToolbarProps {
  state: LinksViewState;
  /** Number of links on the page. */
  shown: number;
  /** Whether no page follows. */
  isLast: boolean;
  selected: readonly Link[];
  onTogglePage: () => void;
  onSelect: (ids: readonly string[]) => void;
}

export function ListToolbar({ state, shown, isLast, selected, onTogglePage, onSelect }: ListToolbarProps) {
  const { view } = state;
  const { first } = view.position;
  const last = first + shown - 1;
  const all = useTotalLinks(!isLast && shown > 0 && !isFiltered(view.filters));
  // A link made meanwhile may be on the page and not in the count yet.
  const total = isLast ? last : all !== null && all >= last ? all : null;
  return (
    <div className={classes.toolbar}>
      <Checkbox
        aria-label={texts.selectPage}
        checked={shown > 0 && selected.length === shown}
        indeterminate={selected.length > 0 && selected.length < shown}
        disabled={shown === 0}
        onChange={onTogglePage}
      />
      <Text size="sm" c="dimmed" role="status">
        {selected.length > 0
          ? texts.selected(selected.length)
          : shown > 0 && texts.range(first, last, total === null ? undefined : formatCount(total))}
      </Text>
      <BulkActions selected={selected} onSelect={onSelect} />
      {view.sort === "-clicks" && (
        <Text size="sm" c="dimmed">
          {texts.sortedByClicks}
        </Text>
      )}
      <Group gap="xs" className={classes.spread}>
        <Button
          component={RouteLink}
          href="/import"
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconFileImport size={16} aria-hidden />}
        >
          {texts.import}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => state.openDialog("export")}
        >
          {texts.export}
        </Button>
      </Group>
    </div>
  );
}
