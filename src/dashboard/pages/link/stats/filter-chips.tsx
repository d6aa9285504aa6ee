/** The filters in force, each with a button that removes it. */
import { Button, Group, Pill } from "@mantine/core";

import { ACCOUNT_GROUPINGS } from "../../../../core/clicks/account-stats.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { bucketName, groupingName } from "./bucket-names.ts";
import classes from "./filter-chips.module.css";
import { useNamedLinks } from "./link-names.ts";
import { hasFilters } from "./stats-params.ts";
import type { StatsView } from "./use-stats.ts";

export function FilterChips({ view: { params, change } }: { view: StatsView }) {
  const { filters } = params;
  const links = new Map(useNamedLinks(filters.link ?? []).map(({ id, name }) => [id, name]));
  if (!hasFilters(filters)) return null;
  return (
    <Group gap="xs" role="group" aria-label={texts.filters}>
      {ACCOUNT_GROUPINGS.map((grouping) => {
        const values = filters[grouping];
        if (!values) return null;
        const { [grouping]: _, ...others } = filters;
        const name = texts.filter(
          groupingName(grouping),
          values.map((value) => links.get(value) ?? bucketName(grouping, value)).join(", "),
        );
        return (
          <Pill
            key={grouping}
            size="md"
            withRemoveButton
            classNames={{ root: classes.chip, label: classes.label }}
            title={name}
            onRemove={() => change({ filters: others })}
            removeButtonProps={{ "aria-label": texts.removeFilter(name), tabIndex: 0, "aria-hidden": false }}
          >
            {name}
          </Pill>
        );
      })}
      <Button variant="subtle" size="compact-sm" onClick={() => change({ filters: {} })}>
        {texts.clearFilters}
      </Button>
    </Group>
  );
}
