/** A row of the list of links. All of it opens the link; its buttons and its checkbox lie above. */
import { Anchor, Badge, Checkbox, Group, Menu, Text, UnstyledButton } from "@mantine/core";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { IconButton } from "../../components/buttons.tsx";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { linkName, linkPrefix, readableUrl } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { linkListTexts as texts } from "../../texts/links.ts";
import { DestinationIcon } from "./destination-icon.tsx";
import classes from "./link-list.module.css";
import { QrPopover } from "./qr-popover.tsx";
import { RowClicks } from "./row-clicks.tsx";
import { useDeleteLink } from "./use-delete-link.tsx";

interface LinkRowProps {
  link: Link;
  isSelected: boolean;
  /** @param isRange  with Shift: from the link ticked before to this one */
  onToggle: (isRange: boolean) => void;
  onTag: (tag: string) => void;
}

export function LinkRow({ link, isSelected, onToggle, onTag }: LinkRowProps) {
  const name = linkName(link);
  return (
    <li className={classes.row} data-selected={isSelected || undefined}>
      <Checkbox
        className={classes.above}
        aria-label={texts.select(name)}
        checked={isSelected}
        onChange={(event) => onToggle((event.nativeEvent as MouseEvent).shiftKey)}
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
        {link.title && (
          <Text size="sm" fw={500} truncate title={link.title}>
            {link.title}
          </Text>
        )}
        <Hint className={classes.destination}>
          <span className={classes.created} title={formatDateTime(link.created_at)}>
            {formatDate(link.created_at)} ·{" "}
          </span>
          {readableUrl(link.url)}
        </Hint>
        <Facts link={link} onTag={onTag} />
      </div>
      <RowClicks id={link.id} ever={link.clicks} />
      <RowActions link={link} />
    </li>
  );
}

function Facts({ link, onTag }: Pick<LinkRowProps, "link" | "onTag">) {
  const { routing, tags = [] } = link;
  const times = timesOf(link);
  if (times.length === 0 && routing.length === 0 && tags.length === 0) return null;
  return (
    <Group gap="0.25rem 0.5rem" mt={4}>
      {times.map(({ color, text }) => (
        <Badge key={text} variant="light" color={color} size="sm">
          {text}
        </Badge>
      ))}
      {routing.length > 0 && (
        <Badge variant="default" size="sm">
          {texts.rules(routing.length)}
        </Badge>
      )}
      {tags.map((tag) => (
        <UnstyledButton key={tag} className={classes.tag} title={texts.onlyTag(tag)} onClick={() => onTag(tag)}>
          {tag}
        </UnstyledButton>
      ))}
    </Group>
  );
}

/** The row's tooltip: its link covers everything else. */
function wholeTextOf(link: Link): string {
  const { url, fallback_url } = link;
  const times = timesOf(link).map(({ title }) => title);
  return [url, ...times, ...(fallback_url === undefined ? [] : [texts.fallback(fallback_url)])].join("\n");
}

/** The instants that are still ahead of a link, or that of its end. */
function timesOf({ starts_at, expires_at }: Link) {
  const isAhead = (instant: string) => Date.parse(instant) > Date.now();
  if (expires_at !== null && !isAhead(expires_at)) {
    return [{ color: "red", text: texts.expired, title: texts.expiredAt(formatDateTime(expires_at)) }];
  }
  const times: { color: string; text: string; title: string }[] = [];
  if (starts_at !== undefined && isAhead(starts_at)) {
    const title = texts.opens(formatDateTime(starts_at));
    times.push({ color: "blue", text: texts.opens(formatDate(starts_at)), title });
  }
  if (expires_at !== null) {
    const title = texts.until(formatDateTime(expires_at));
    times.push({ color: "yellow", text: texts.until(formatDate(expires_at)), title });
  }
  return times;
}

/** Buttons of a row: QR code, and a menu with the rest. */
function RowActions({ link }: { link: Link }) {
  const deleteLink = useDeleteLink();
  const name = linkName(link);
  return (
    <Group gap={4} wrap="nowrap" className={classes.above}>
      <QrPopover link={link} />
      <Menu position="bottom-end">
        <Menu.Target>
          <IconButton label={texts.moreFor(name)} sign={icon("dots", 18)} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={RouterLink} to={`/links/${link.id}`} leftSection={icon("chart-bar", 16)}>
            {texts.open}
          </Menu.Item>
          <Menu.Item component={RouterLink} to={`/links/${link.id}?tab=rules`} leftSection={icon("arrows-split-2", 16)}>
            {texts.editRules}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={link.short_url}
            target="_blank"
            rel="noreferrer"
            leftSection={icon("external-link", 16)}
          >
            {texts.visit}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={icon("trash", 16)} onClick={() => deleteLink(link)}>
            {texts.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
