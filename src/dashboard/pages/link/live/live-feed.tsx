/**
 * The latest clicks, with the state of the connection. With filters: only matching clicks, from a link's click log or
 * from what the stream of all links has sent.
 */
import { Anchor, Badge, Group, Skeleton, Text } from "@mantine/core";
import { Link as RouterLink } from "wouter";

import { figure, PAGE_CLICKS_MAX } from "../../../../core/limits.ts";
import { DEFAULT_RULE_KEY } from "../../../../core/links/routing.ts";
import { Hint, IconButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { liveTexts as texts } from "../../../texts/link.ts";
import { bucketName } from "../stats/bucket-names.ts";
import { CountryFlag } from "../stats/key-icon.tsx";
import { hasFilters } from "../stats/stats-params.ts";
import { type StatsView, useMatchingClicks } from "../stats/use-stats.ts";
import { FEED_MAX_CLICKS, type FeedClick, feedClickFromLog, feedFilter } from "./feed-clicks.ts";
import type { ClickFeed, FeedState } from "./follow-clicks.ts";
import classes from "./live-feed.module.css";

const STATE_COLORS: Record<FeedState, string> = {
  connecting: "gray",
  live: "green",
  fallback: "brand",
  waiting: "gray",
  reconnecting: "orange",
};

export function LiveFeed({ feed, view }: { feed: ClickFeed; view: StatsView }) {
  const { subject, params } = view;
  const isFiltered = hasFilters(params.filters);
  const list = useShownClicks(feed, view);
  const note = list.note ?? texts.notes[feed.state];
  return (
    <TitledCard
      isTile
      title={texts.title}
      action={
        <Group gap="xs" wrap="nowrap">
          <Badge
            role="status"
            color={STATE_COLORS[feed.state]}
            classNames={{ root: classes.state }}
            data-state={feed.state}
          >
            {texts.states[feed.state]}
          </Badge>
          {!isFiltered && (
            <IconButton
              variant="default"
              label={feed.isPaused ? texts.resume : texts.pause}
              sign={feed.isPaused ? icon("player-play", 16) : icon("player-pause", 16)}
              onClick={() => feed.setPaused(!feed.isPaused)}
            />
          )}
        </Group>
      }
    >
      {note && <Hint size="xs">{note}</Hint>}
      {feed.hasGap && !isFiltered && <Text size="xs">{texts.gap}</Text>}
      {feed.isPaused && !isFiltered && (
        <Text size="sm" fw={500} role="status">
          {texts.paused} {feed.newWhilePaused === 0 ? texts.nothingNew : texts.newWhilePaused(feed.newWhilePaused)}
        </Text>
      )}
      <ClickList
        clicks={list.clicks}
        isFast={feed.isFast || isFiltered}
        zone={params.zone}
        emptyText={list.emptyText ?? (subject.link ? texts.none : texts.noneSince)}
      />
    </TitledCard>
  );
}

interface ShownClicks {
  clicks: FeedClick[] | null;
  note?: string;
  emptyText?: string;
}

function useShownClicks({ clicks }: ClickFeed, view: StatsView): ShownClicks {
  const { params } = view;
  const { link } = view.subject;
  const matching = useMatchingClicks(view);
  if (!hasFilters(params.filters)) return { clicks };
  if (link) {
    const latest = matching?.slice(0, FEED_MAX_CLICKS).map((click) => feedClickFromLog(link.id, click));
    return { clicks: latest ?? null, note: texts.filtered, emptyText: texts.noneMatching(figure(PAGE_CLICKS_MAX)) };
  }
  const isMatch = feedFilter(params.filters);
  if (!isMatch) return { clicks: [], emptyText: texts.notLive };
  return { clicks: clicks?.filter(isMatch) ?? null, note: texts.filtered, emptyText: texts.noneSince };
}

interface ClickListProps {
  clicks: FeedClick[] | null;
  isFast: boolean;
  zone: string;
  emptyText: string;
}

function ClickList({ clicks, isFast, zone, emptyText }: ClickListProps) {
  if (clicks === null) return <Skeleton height={120} />;
  if (clicks.length === 0) {
    return <Hint>{emptyText}</Hint>;
  }
  return (
    // The list scrolls, so it must be focusable by keyboard.
    <ol className={classes.list} tabIndex={0} aria-label={texts.list} data-fast={isFast}>
      {clicks.map((click) => (
        <ClickItem key={click.id} click={click} zone={zone} />
      ))}
    </ol>
  );
}

function ClickItem({ click, zone }: { click: FeedClick; zone: string }) {
  return (
    <li className={classes.click}>
      {click.link && (
        <Anchor component={RouterLink} to={`/links/${click.link.id}`} className={classes.link}>
          {click.link.name}
        </Anchor>
      )}
      <div className={classes.line}>
        <span className={classes.place}>
          <CountryFlag code={click.country} /> {bucketName("country", click.country)}
        </span>
        <time dateTime={click.occurred_at} className={classes.time}>
          {formatDateTime(click.occurred_at, zone)}
        </time>
      </div>
      <div className={classes.detail}>
        {bucketName("device", click.device)} · {bucketName("referrer", click.referrer)}
        {click.source === "qr" && ` · ${texts.viaQr}`}
      </div>
      <div className={classes.destination} title={click.destination}>
        {click.rule !== DEFAULT_RULE_KEY && bucketName("rule", click.rule)} → {click.destination}
      </div>
    </li>
  );
}
