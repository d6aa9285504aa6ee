/** Adds or changes a filter: a grouping, whether its values are included or left out, and any number of values. */
import { MultiSelect, Popover, SegmentedControl, Select, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";

import { ACCOUNT_GROUPINGS, type AccountGrouping, GROUPINGS } from "../../../../core/clicks/counting/groupings.ts";
import { FILTER_VALUES_MAX } from "../../../../core/limits.ts";
import { PlainButton, SubmitButton } from "../../../components/buttons.tsx";
import { linkName } from "../../../formatting/hosts.ts";
import { icon } from "../../../icons.tsx";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { bucketName, groupingName, isFilterable } from "./bucket-names.ts";
import { isExcluded, withFilter } from "./stats-params.ts";
import { type StatsView, useStats } from "./use-stats.ts";

export interface EditedFilter {
  /** Null until it is chosen. */
  grouping: AccountGrouping | null;
}

interface FilterEditorProps {
  view: StatsView;
  /** Null while closed. */
  edited: EditedFilter | null;
  setEdited: (edited: EditedFilter | null) => void;
}

export function FilterEditor({ view, edited, setEdited }: FilterEditorProps) {
  const close = () => setEdited(null);
  return (
    <Popover
      opened={edited !== null}
      onDismiss={close}
      onClose={close}
      closeOnEscape={false}
      trapFocus
      returnFocus
      withArrow
      withRoles={false}
    >
      <Popover.Target>
        <PlainButton
          leftSection={icon("plus", 16)}
          aria-expanded={edited !== null}
          onClick={() => setEdited(edited ? null : { grouping: null })}
        >
          {texts.addFilter}
        </PlainButton>
      </Popover.Target>
      <Popover.Dropdown>
        {edited && <FilterForm key={edited.grouping} view={view} edited={edited} setEdited={setEdited} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function FilterForm({ view, edited: { grouping }, setEdited }: FilterEditorProps & { edited: EditedFilter }) {
  const { params, subject, change } = view;
  const { filters } = params;
  const [isNegated, setNegated] = useState(grouping !== null && isExcluded(filters, grouping));
  const [values, setValues] = useState<readonly string[]>((grouping && filters[grouping]) ?? []);
  const options = useValues(view, grouping ?? "country");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (grouping) change({ filters: withFilter(filters, grouping, values, isNegated) });
    setEdited(null);
  };
  return (
    // Escape first closes an open list of options, which is still open when the key arrives here.
    <form
      onSubmit={submit}
      onKeyDown={({ key, target }) =>
        key === "Escape" && (target as Element).getAttribute("aria-expanded") !== "true" && setEdited(null)
      }
    >
      <Stack gap="sm" w={280}>
        <Select
          label={texts.filterBy}
          data-autofocus
          data={(subject.link ? GROUPINGS : ACCOUNT_GROUPINGS).map((one) => ({ value: one, label: groupingName(one) }))}
          value={grouping}
          onChange={(value) => setEdited({ grouping: value })}
          comboboxProps={{ withinPortal: false }}
        />
        {grouping && (
          <>
            <SegmentedControl
              aria-label={texts.condition}
              data={[texts.is, texts.isNot]}
              value={isNegated ? texts.isNot : texts.is}
              onChange={(value) => setNegated(value === texts.isNot)}
            />
            <MultiSelect
              label={texts.values}
              data={[...new Set([...options.keys(), ...values])].map((value) => ({
                value,
                label: options.get(value) ?? bucketName(grouping, value),
              }))}
              value={[...values]}
              onChange={setValues}
              maxValues={FILTER_VALUES_MAX}
              searchable
              limit={100}
              nothingFoundMessage={texts.noValues}
              comboboxProps={{ withinPortal: false }}
            />
          </>
        )}
        <SubmitButton disabled={grouping === null}>{texts.apply}</SubmitButton>
      </Stack>
    </form>
  );
}

/** The values of a grouping under the other filters, with their names, most clicks first. */
function useValues(view: StatsView, grouping: AccountGrouping): ReadonlyMap<string, string> {
  const filters = withFilter(view.params.filters, grouping, []);
  const { data } = useStats({ ...view, params: { ...view.params, filters } }, grouping);
  const buckets = data?.group_by === grouping ? data.buckets : [];
  return new Map(
    buckets
      .filter(({ key }) => isFilterable(grouping, key))
      .map(({ key, name = bucketName(grouping, key) }) => [
        key,
        grouping === "link" ? linkName({ short_url: name }) : name,
      ]),
  );
}
