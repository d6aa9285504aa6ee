/** Controls of the statistics: range, interval, time zone, comparison, filters, bots, refresh. */
import {
  Group,
  MultiSelect,
  Pill,
  Popover,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useIsFetching } from "@tanstack/react-query";
import { type FormEvent, memo, useState } from "react";

import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import {
  ACCOUNT_GROUPINGS,
  type AccountGrouping,
  GROUPINGS,
  INTERVALS,
} from "../../../../core/clicks/counting/groupings.ts";
import { FILTER_VALUES_MAX } from "../../../../core/limits.ts";
import { queryClient, useApi } from "../../../api/client.ts";
import { FlatButton, IconButton, PlainButton, SubmitButton } from "../../../components/buttons.tsx";
import { lazyDialog } from "../../../components/lazy-part.tsx";
import { timeZoneOptions } from "../../../formatting/dates.ts";
import { linkName } from "../../../formatting/hosts.ts";
import { icon } from "../../../icons.tsx";
import { linkFilterTexts } from "../../../texts/links.ts";
import { shareTexts } from "../../../texts/share.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import type { SharedSubject } from "../../share/share-dialog.tsx";
import { bucketName, groupingName, isFilterable } from "./bucket-names.ts";
import classes from "./stats-toolbar.module.css";
import { useNamedLinks, useQrNames } from "./link-names.ts";
import { RangePicker } from "./range-picker.tsx";
import { hasFilters, isExcluded, type StatsParams, withFilter } from "./stats-params.ts";
import { COMPARISONS, isAllTime } from "./time-range.ts";
import { type StatsView, useStats } from "./use-stats.ts";

const ShareDialog = lazyDialog(() => import("../../share/share-dialog.tsx"));

interface StatsToolbarProps {
  view: StatsView;
  setAutoRefresh: (refreshes: boolean) => void;
}

const INTERVAL_OPTIONS = INTERVALS.map((interval) => ({ value: interval, label: texts.byInterval(interval) }));

const NO_COMPARISON = "";
const COMPARISON_OPTIONS = [
  { value: NO_COMPARISON, label: texts.noComparison },
  ...COMPARISONS.map((comparison) => ({ value: comparison, label: texts.comparisons[comparison] })),
];

export function StatsToolbar({ view, setAutoRefresh }: StatsToolbarProps) {
  const { params, change, interval } = view;
  const { range, zone, comparison } = params;
  const [isOpen, setOpen] = useState(false);
  const [edited, setEdited] = useState<EditedFilter>();
  const chosen = ACCOUNT_GROUPINGS.filter((grouping) => params.filters[grouping]).length;
  return (
    <>
      <Group gap="sm" align="flex-end" className={classes.bar} data-open={isOpen || undefined}>
        <RangeControl
          range={range}
          // The interval chosen for the old range could give too many bins in the new one.
          setRange={(range) => change({ range, interval: null })}
        />
        <PlainButton
          className={classes.toggle}
          leftSection={icon("adjustments-horizontal", 18)}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {linkFilterTexts.filters(chosen)}
        </PlainButton>
        <TimeControls range={range} interval={interval} zone={zone} comparison={comparison} change={change} />
        <FilterEditor view={view} edited={edited} setEdited={setEdited} />
        <Group gap="md" mih={36}>
          <Switch
            label={texts.bots}
            checked={params.includeBots}
            onChange={(event) => change({ includeBots: event.currentTarget.checked })}
          />
          <Switch
            label={texts.autoRefresh}
            checked={view.refreshIntervalMs !== false}
            onChange={(event) => setAutoRefresh(event.currentTarget.checked)}
          />
          <RefreshButton view={view} />
          <ShareButton view={view} />
        </Group>
      </Group>
      <FilterChips
        view={view}
        edit={(grouping) => {
          setOpen(true);
          setEdited(grouping);
        }}
      />
    </>
  );
}

/** Functions are left out: they do the same each time. */
function hasSameValues(some: object, others: object): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}

// A change of filters takes a frame only if it does not render the hundred options of these.
const RangeControl = memo(RangePicker, hasSameValues);

type TimeControlsProps = Pick<StatsParams, "range" | "zone" | "comparison"> & Pick<StatsView, "interval" | "change">;

const TimeControls = memo(function TimeControls({ range, interval, zone, comparison, change }: TimeControlsProps) {
  const hasNoPeriodBefore = isAllTime(range);
  return (
    <>
      <Select
        label={texts.interval}
        w={150}
        data={INTERVAL_OPTIONS}
        value={interval}
        onChange={(value) => value && change({ interval: value })}
      />
      <Select
        label={texts.timeZone}
        w={200}
        data={timeZoneOptions()}
        value={zone}
        onChange={(value) => value && change({ zone: value })}
        searchable
        limit={60}
        nothingFoundMessage={texts.noTimeZone}
      />
      <Select
        label={texts.compare}
        w={170}
        data={COMPARISON_OPTIONS}
        value={(!hasNoPeriodBefore && comparison) || NO_COMPARISON}
        disabled={hasNoPeriodBefore}
        title={hasNoPeriodBefore ? texts.nothingBeforeAllTime : undefined}
        onChange={(value) => change({ comparison: COMPARISONS.find((one) => one === value) ?? null })}
      />
    </>
  );
}, hasSameValues);

function RefreshButton({ view: { subject } }: { view: StatsView }) {
  const { mode } = useApi();
  const filter = { queryKey: [mode, "stats", subject.key] };
  return (
    <IconButton
      variant="default"
      size="lg"
      label={texts.refresh}
      sign={icon("refresh", 18)}
      loading={useIsFetching(filter) > 0}
      onClick={() => void queryClient.invalidateQueries(filter)}
    />
  );
}

interface FilterChipsProps {
  view: StatsView;
  edit: (grouping: AccountGrouping) => void;
}

/** The active filters, each with buttons that change and remove it. */
function FilterChips({ view: { params, change }, edit }: FilterChipsProps) {
  const { filters } = params;
  const links = useNamedLinks(filters.link ?? []).map(({ id, name }) => [id, name] as const);
  const names = new Map([...links, ...useQrNames(filters.qr?.filter((key) => key !== NONE_KEY) ?? [])]);
  if (!hasFilters(filters)) return null;
  return (
    <Group gap="xs" role="group" aria-label={texts.filters}>
      {ACCOUNT_GROUPINGS.map((grouping) => {
        const values = filters[grouping];
        if (!values) return null;
        const name = texts.filter(
          groupingName(grouping),
          values.map((value) => names.get(value) ?? bucketName(grouping, value)).join(", "),
          isExcluded(filters, grouping),
        );
        return (
          <Pill
            key={grouping}
            size="md"
            withRemoveButton
            classNames={{ root: classes.chip, label: classes.label }}
            onRemove={() => change({ filters: withFilter(filters, grouping, []) })}
            removeButtonProps={{ "aria-label": texts.removeFilter(name), tabIndex: 0, "aria-hidden": false }}
          >
            <UnstyledButton fz="inherit" title={name} onClick={() => edit(grouping)}>
              {name}
            </UnstyledButton>
          </Pill>
        );
      })}
      <FlatButton onClick={() => change({ filters: {} })}>{texts.clearFilters}</FlatButton>
    </Group>
  );
}

function sharedSubject({ subject: { link }, params: { filters } }: StatsView): SharedSubject | null {
  if (link) return { name: linkName(link), query: { link_id: link.id } };
  const [tag, ...others] = filters.tag ?? [];
  if (tag === undefined || tag === NONE_KEY || others.length > 0 || isExcluded(filters, "tag")) return null;
  return { name: tag, query: { tag } };
}

/** Opens the dialog for sharing, on statistics of a link or of one tag. */
function ShareButton({ view }: { view: StatsView }) {
  const [isOpen, { open, close }] = useDisclosure();
  const subject = sharedSubject(view);
  if (!subject) return null;
  return (
    <>
      <PlainButton leftSection={icon("share", 16)} onClick={open}>
        {shareTexts.open}
      </PlainButton>
      {isOpen && <ShareDialog subject={subject} zone={view.params.zone} onClose={close} />}
    </>
  );
}

/** Undefined while none is edited, null until its grouping is chosen. */
type EditedFilter = AccountGrouping | null | undefined;

interface FilterEditorProps {
  view: StatsView;
  edited: EditedFilter;
  setEdited: (edited: EditedFilter) => void;
}

/** Adds or changes a filter: a grouping, whether its values are included or left out, and any number of values. */
function FilterEditor({ view, edited, setEdited }: FilterEditorProps) {
  const isOpen = edited !== undefined;
  const close = () => setEdited(undefined);
  return (
    <Popover
      opened={isOpen}
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
          aria-expanded={isOpen}
          onClick={() => setEdited(isOpen ? undefined : null)}
        >
          {texts.addFilter}
        </PlainButton>
      </Popover.Target>
      <Popover.Dropdown>
        {isOpen && <FilterForm key={edited} view={view} edited={edited} setEdited={setEdited} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function FilterForm({ view, edited: grouping = null, setEdited }: FilterEditorProps) {
  const { params, subject, change } = view;
  const { filters } = params;
  const [isNegated, setNegated] = useState(grouping !== null && isExcluded(filters, grouping));
  const [values, setValues] = useState<readonly string[]>((grouping && filters[grouping]) ?? []);
  const options = useValues(view, grouping ?? "country");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (grouping) change({ filters: withFilter(filters, grouping, values, isNegated) });
    setEdited(undefined);
  };
  return (
    // Escape first closes an open list of options, which is still open when the key arrives here.
    <form
      onSubmit={submit}
      onKeyDown={({ key, target }) =>
        key === "Escape" && (target as Element).getAttribute("aria-expanded") !== "true" && setEdited(undefined)
      }
    >
      <Stack gap="sm" w={280}>
        <Select
          label={texts.filterBy}
          data-autofocus
          data={(subject.link ? GROUPINGS : ACCOUNT_GROUPINGS).map((one) => ({ value: one, label: groupingName(one) }))}
          value={grouping}
          onChange={setEdited}
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
