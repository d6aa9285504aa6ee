/** The latest clicks, with the state of the connection: live stream, or polling of the click log. */
import { ActionIcon, Badge, Group, Paper, Skeleton, Stack, Text, Title, Tooltip } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";

import { bucketName } from "../stats/bucket-names.ts";
import type { FeedClick } from "./feed-clicks.ts";
import type { FeedState } from "./follow-clicks.ts";
import classes from "./live-feed.module.css";
import type { ClickFeed } from "./use-click-feed.ts";

const FEED_STATES: Record<FeedState, { label: string; color: string; note: string }> = {
  connecting: { label: "Connecting", color: "gray", note: "" },
  live: { label: "Live", color: "green", note: "Over the live stream, as they happen." },
  polling: {
    label: "Every 4 seconds",
    color: "brand",
    note: "The live stream is for links made by the API. This one’s clicks are asked for every 4 seconds.",
  },
  fallback: {
    label: "Every 4 seconds",
    color: "brand",
    note: "The live stream cannot be had now, so the clicks are asked for every 4 seconds.",
  },
  reconnecting: { label: "Reconnecting", color: "orange", note: "The connection was lost. Nothing is missed." },
};

export function LiveFeed({ feed }: { feed: ClickFeed }) {
  const { label, color, note } = FEED_STATES[feed.state];
  return (
    <Paper withBorder p="md" h="100%" component="section" aria-labelledby="live-title">
      <Group justify="space-between" mb="xs" wrap="nowrap">
        <Title order={2} size="h4" id="live-title">
          Latest clicks
        </Title>
        <Group gap="xs" wrap="nowrap">
          <Badge
            role="status"
            variant="light"
            color={color}
            classNames={{ root: classes.state }}
            data-state={feed.state}
          >
            {label}
          </Badge>
          <PauseButton feed={feed} />
        </Group>
      </Group>
      {note && (
        <Text size="xs" c="dimmed" mb="sm">
          {note}
        </Text>
      )}
      {feed.hasGap && (
        <Text size="xs" mb="sm">
          Some clicks came too long ago to be told one by one. The statistics hold them all.
        </Text>
      )}
      <ClickList feed={feed} />
    </Paper>
  );
}

function PauseButton({ feed: { isPaused, setPaused } }: { feed: ClickFeed }) {
  const label = isPaused ? "Resume the list" : "Pause the list";
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" aria-label={label} onClick={() => setPaused(!isPaused)}>
        {isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

function ClickList({ feed: { state, clicks, isPaused, newWhilePaused } }: { feed: ClickFeed }) {
  if (state === "connecting") return <Skeleton height={120} />;
  return (
    <Stack gap={0}>
      {isPaused && (
        <Text size="sm" fw={500} mb="xs" role="status">
          Paused.{" "}
          {newWhilePaused === 0
            ? "Nothing new."
            : `${newWhilePaused} new ${newWhilePaused === 1 ? "click" : "clicks"}.`}
        </Text>
      )}
      {clicks.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody has clicked yet. Open the short link, and it shows up here.
        </Text>
      ) : (
        // The list scrolls, so the keyboard must be able to focus it.
        <ol className={classes.list} tabIndex={0} aria-label="Latest clicks, newest first">
          {clicks.map((click) => (
            <ClickItem key={click.id} click={click} />
          ))}
        </ol>
      )}
    </Stack>
  );
}

function ClickItem({ click }: { click: FeedClick }) {
  const at = new Date(click.occurredAt);
  return (
    <li className={classes.click}>
      <div className={classes.line}>
        <span className={classes.place}>{bucketName("country", click.country)}</span>
        <time dateTime={click.occurredAt} title={at.toLocaleString()} className={classes.time}>
          {at.toLocaleTimeString()}
        </time>
      </div>
      <div className={classes.detail}>
        {bucketName("device", click.device)} · {bucketName("referrer", click.referrer)}
        {click.source === "qr" && " · QR code"}
      </div>
      <div className={classes.detail}>
        {bucketName("rule", click.rule)} → {click.destination}
      </div>
    </li>
  );
}
