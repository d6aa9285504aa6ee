/** Above the rows: select the page, which links are shown, export. */
import { Button, Checkbox, Group } from "@mantine/core";
import { Link as RouteLink } from "wouter";
import { useQuery } from "@tanstack/react-query";

import type { Link } from "../../../core/contract/links.ts";
import { Hint } from "../../components/hint.tsx";
import { PAGE_LINKS_MAX } from "../../../core/limits.ts";
import { apiClients, unwrap, useApi } from "../../api/client.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import { linkListTexts as texts } from "../../texts/links.ts";
import { BulkActions } from "./bulk-actions.tsx";
import classes from "./link-list.module.css";
import { isFiltered, type LinksViewState } from "./links-view.ts";

const ToolButton = Button.withProps({ variant: "subtle", color: "gray", size: "compact-sm" });

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
      <Hint role="status">
        {selected.length > 0
          ? texts.selected(selected.length)
          : shown > 0 && texts.range(first, last, total === null ? undefined : formatCount(total))}
      </Hint>
      <BulkActions selected={selected} onSelect={onSelect} />
      {view.sort === "-clicks" && <Hint>{texts.sortedByClicks}</Hint>}
      <Group gap="xs" className={classes.spread}>
        <ToolButton component={RouteLink} href="/import" leftSection={icon("file-import", 16)}>
          {texts.import}
        </ToolButton>
        <ToolButton leftSection={icon("download", 16)} onClick={() => state.openDialog("export")}>
          {texts.export}
        </ToolButton>
      </Group>
    </div>
  );
}

/**
 * The number of the mode's links, without counting rows: the account's count has the links of both modes, so those of the
 * other mode are subtracted, if they fit on a page.
 * @returns null while it is unknown, and where they do not fit
 */
function useTotalLinks(isWanted: boolean): number | null {
  const { mode } = useApi();
  const other = mode === "live" ? "test" : "live";
  const { data = null } = useQuery({
    // Below the key of the lists, so that it is read again with them.
    queryKey: [mode, "links", "total"],
    queryFn: async ({ signal }) => {
      const init = { signal };
      const [{ limits }, others] = await Promise.all([
        unwrap(apiClients[mode].me.$get({ query: {} }, { init })),
        unwrap(apiClients[other].links.$get({ query: { limit: String(PAGE_LINKS_MAX) } }, { init })),
      ]);
      return others.has_more ? null : limits.links.used - others.data.length;
    },
    enabled: isWanted,
  });
  return data;
}
