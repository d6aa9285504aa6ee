/** A row of the list of links. All of it opens the link; its buttons and its checkbox are on top. */
import { Anchor, Badge, Checkbox, Group, Text, UnstyledButton, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo } from "react";
import { Link as RouterLink } from "wouter";

import type { DashboardLink } from "../../../core/contract/dashboard.ts";
import type { Link } from "../../../core/contract/links.ts";
import { isRepeated } from "../../api/client.ts";
import { CopyIconButton, Hint } from "../../components/buttons.tsx";
import { useSeen } from "../../components/use-seen.ts";
import { formatDate, formatDateTime, formatIn } from "../../formatting/dates.ts";
import { linkName, linkPrefix, readableUrl } from "../../formatting/hosts.ts";
import { useMode } from "../../mode.ts";
import { linkFilterTexts, linkListTexts as texts } from "../../texts/links.ts";
import { DestinationIcon } from "./destination-icon.tsx";
import classes from "./link-list.module.css";
import type { useColumns } from "./links-view.ts";
import { QrPopover } from "./qr-popover.tsx";
import { type RowCommands, RowMenu } from "./row-commands.tsx";
import { daysAgo, type RowStats, rowStatsQuery } from "./row-stats.ts";

interface LinkRowProps {
  link: DashboardLink;
  isSelected: boolean;
  isShown: ReturnType<typeof useColumns>["isShown"];
  commands: RowCommands;
}

/** Rendered again only if its own properties change: a hundred rows take longer than a click may. */
export const LinkRow = memo(function LinkRow({ link, isSelected, isShown, commands }: LinkRowProps) {
  const name = linkName(link);
  return (
    <li className={classes.row} data-link={link.id} data-selected={isSelected || undefined}>
      <Checkbox
        className={classes.above}
        aria-label={texts.select(name)}
        checked={isSelected}
        onChange={(event) => commands.toggle(link.id, (event.nativeEvent as MouseEvent).shiftKey)}
      />
      <DestinationIcon url={link.url} />
      <div className={classes.what}>
        <div className={classes.short}>
          <Anchor component={RouterLink} to={`/links/${link.id}`} title={wholeTextOf(link)} className={classes.target}>
            {linkPrefix(link)}
            <wbr />
            {link.slug}
          </Anchor>
          <span className={classes.above}>
            <CopyIconButton value={link.short_url} label={texts.shortUrlOf(name)} />
          </span>
        </div>
        {link.title && isShown("title") && (
          <Text size="sm" fw={500} truncate title={link.title}>
            {link.title}
          </Text>
        )}
        <Hint className={classes.destination}>
          {isShown("created") && (
            <span className={isShown("destination") ? classes.created : ""} title={formatDateTime(link.created_at)}>
              {formatDate(link.created_at)}
              {isShown("destination") && " · "}
            </span>
          )}
          {isShown("destination") && readableUrl(link.url)}
        </Hint>
        <Facts link={link} onTag={commands.filterByTag} isShown={isShown} />
      </div>
      {isShown("clicks") ? <RowClicks id={link.id} ever={link.clicks} /> : <span className={classes.created} />}
      <Group gap={4} wrap="nowrap" className={classes.above}>
        <QrPopover link={link} />
        <RowMenu link={link} commands={commands} />
      </Group>
    </li>
  );
});

interface FactsProps extends Pick<LinkRowProps, "link" | "isShown"> {
  onTag: (tag: string) => void;
}

function Facts({ link, onTag, isShown }: FactsProps) {
  const routing = isShown("rules") ? link.routing : [];
  const tags = isShown("tags") ? (link.tags ?? []) : [];
  const origin = isShown("creator") ? link.origin : undefined;
  const badges = [
    ...statesOf(link).map(({ color, text }) => ({ color, children: text })),
    ...(routing.length > 0 ? [{ variant: "default", children: texts.rules(routing.length) }] : []),
    ...(origin ? [{ variant: "default", children: linkFilterTexts.origins[origin] }] : []),
  ];
  if (badges.length === 0 && tags.length === 0) return null;
  return (
    <Group gap="0.25rem 0.5rem" mt={4}>
      {badges.map((badge) => (
        <Badge key={badge.children} size="sm" {...badge} />
      ))}
      {tags.map((tag) => (
        <UnstyledButton key={tag} className={classes.tag} title={texts.onlyTag(tag)} onClick={() => onTag(tag)}>
          {tag}
        </UnstyledButton>
      ))}
    </Group>
  );
}

/** The row's tooltip, because its link covers everything else. */
function wholeTextOf(link: Link): string {
  const { url, fallback_url } = link;
  const states = statesOf(link).map(({ title }) => title);
  return [url, ...states, ...(fallback_url === undefined ? [] : [texts.fallback(fallback_url)])].join("\n");
}

/** Whether a link has a password, is archived or paused, and its future start and end, or the time at which it ended. */
function statesOf({ starts_at, expires_at, paused, archived, password_protected }: Link) {
  const isAhead = (instant: string) => Date.parse(instant) > Date.now();
  const state = (color: string, text: string, title = text) => ({ color, text, title });
  const dated = (color: string, textOf: (date: string) => string, instant: string) =>
    state(color, textOf(formatDate(instant)), textOf(formatDateTime(instant)));
  const states = [];
  if (password_protected) states.push(state("gray", texts.password));
  if (archived) states.push(state("gray", texts.archived));
  if (expires_at !== null && !isAhead(expires_at)) {
    return [...states, state("red", texts.expired, texts.expiredAt(formatDateTime(expires_at)))];
  }
  if (paused) states.push(state("orange", texts.paused));
  if (starts_at !== undefined && isAhead(starts_at)) states.push(dated("blue", texts.opens, starts_at));
  if (expires_at !== null) states.push(dated("yellow", texts.until, expires_at));
  return states;
}

/** Clicks of a link in its row, fetched once the row comes into view. A failure shows a dash and blocks nothing. */

/** @param ever  total clicks of the link, shown instead of the last 30 days if the list is sorted by them */
function RowClicks({ id, ever }: { id: string; ever: number | undefined }) {
  const { mode } = useMode();
  const { ref, wasSeen } = useSeen<HTMLDivElement>();
  const stats = useQuery({ ...rowStatsQuery(mode, id), enabled: wasSeen });
  const problem = isRepeated(stats.error) ? texts.clicksLater : texts.clicksFailed;
  return (
    <div ref={ref} className={classes.clicks}>
      {stats.data ? (
        <Clicks stats={stats.data} ever={ever} />
      ) : stats.error ? (
        <Hint title={problem} aria-label={problem} role="img">
          —
        </Hint>
      ) : (
        <Skeleton height={28} aria-hidden />
      )}
    </div>
  );
}

function Clicks({ stats, ever }: { stats: RowStats; ever: number | undefined }) {
  const count = ever ?? stats.total;
  const title = ever === undefined ? texts.clicksTitle : texts.totalClicksTitle;
  return (
    <div className={classes.figures} title={title(count)}>
      <Sparkline values={stats.days} />
      <div>
        <Text size="sm" fw={600} lh={1.2}>
          {texts.clicks(count)}
        </Text>
        <Hint size="xs" lh={1.2}>
          {stats.lastDay === null && ever !== undefined ? texts.noneLately : lastClickText(stats.lastDay)}
        </Hint>
      </div>
    </div>
  );
}

function lastClickText(lastDay: string | null): string {
  if (lastDay === null) return texts.noRecentClick;
  const days = daysAgo(lastDay, Date.now());
  if (days === 0) return texts.lastClickToday;
  return days === 1 ? texts.lastClickYesterday : texts.lastClick(formatIn("dayAndMonth", lastDay));
}

const BAR_WIDTH = 2;
const BAR_STEP = 3;
const HEIGHT = 24;

/** A bar for each day, without axes. Drawn here: the chart library would be most of what this page loads. */
function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  const bars = values.map((value, day) => {
    const height = value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT);
    return `M${day * BAR_STEP} ${HEIGHT}v${-height}h${BAR_WIDTH}v${height}z`;
  });
  return (
    <svg
      className={classes.sparkline}
      width={values.length * BAR_STEP}
      height={HEIGHT}
      viewBox={`0 0 ${values.length * BAR_STEP} ${HEIGHT}`}
      aria-hidden
    >
      <path d={bars.join("")} />
    </svg>
  );
}
