/** Header of a link's page: summary and actions. */
import { ActionIcon, Badge, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { useApi } from "../../api/client.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { readableUrl } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { linkHeaderTexts as texts } from "../../texts/link.ts";
import { useDeleteLink } from "../links/use-delete-link.tsx";
import { EditLink } from "./edit-link.tsx";
import { Hop } from "./hop.tsx";
import classes from "./link-header.module.css";
import type { LinkWithEtag } from "./use-link.ts";

/** Longer addresses may be cut on a phone. */
const SHOWN_URL_CHARS = 60;

/** Beside the heading, which is the short URL. */
export function LinkHeadingTools({ link }: { link: Link }) {
  const { text, ...badge } = linkStatus(link);
  return (
    <>
      <CopyIconButton value={link.short_url} label={texts.shortUrl} />
      <Badge component="span" variant="light" {...badge}>
        {text}
      </Badge>
    </>
  );
}

export function LinkSummary({ link }: { link: Link }) {
  const { title, tags = [], url, fallback_url, created_at } = link;
  return (
    <Stack gap={4} component="span">
      {title !== undefined && (
        <Text span fw={500} c="var(--mantine-color-text)" className={classes.url}>
          {title}
        </Text>
      )}
      {tags.length > 0 && (
        <Group gap={4} component="span">
          {tags.map((tag) => (
            <Badge key={tag} component="span" variant="default" className={classes.tag} title={tag}>
              {tag}
            </Badge>
          ))}
        </Group>
      )}
      <Group gap={6} component="span" wrap="nowrap" align="flex-start">
        <Hop linkId={link.id} />
        <Destination text={texts.leadsTo(readableUrl(url))} url={url} />
      </Group>
      {fallback_url !== undefined && (
        <Destination text={texts.fallback(readableUrl(fallback_url))} url={fallback_url} />
      )}
      <Text span size="xs" title={formatDateTime(created_at)}>
        {texts.created(formatDate(created_at))}
      </Text>
    </Stack>
  );
}

/** Clamped: the whole address is in its title, and can be copied. */
function Destination({ text, url }: { text: string; url: string }) {
  return (
    <Group gap={4} component="span" wrap="nowrap" align="flex-start">
      <Text span size="sm" className={classes.destination} lineClamp={2} title={url}>
        {text}
      </Text>
      {url.length > SHOWN_URL_CHARS && <CopyIconButton value={url} label={texts.wholeUrl} />}
    </Group>
  );
}

function linkStatus({ starts_at, expires_at }: Link): { color: string; text: string; title?: string } {
  const now = Date.now();
  if (expires_at !== null && Date.parse(expires_at) <= now) {
    return { color: "red", text: texts.expired(formatDate(expires_at)), title: formatDateTime(expires_at) };
  }
  if (starts_at !== undefined && Date.parse(starts_at) > now) {
    return { color: "yellow", text: texts.opens(formatDateTime(starts_at)) };
  }
  if (expires_at === null) return { color: "green", text: texts.active };
  return { color: "yellow", text: texts.activeUntil(formatDateTime(expires_at)) };
}

export function LinkActions({ current }: { current: LinkWithEtag }) {
  const [isEditing, { open, close }] = useDisclosure();
  const [, navigate] = useLocation();
  const { mode } = useApi();
  const queries = useQueryClient();
  const deleteLink = useDeleteLink(() => {
    // The cached link must not be shown again: coming back fetches it, which is a 404.
    void queries.invalidateQueries({ queryKey: [mode, "link", current.link.id], refetchType: "none" });
    navigate("/links");
  });
  return (
    <>
      <Tooltip label={texts.open}>
        <ActionIcon
          component="a"
          href={current.link.short_url}
          target="_blank"
          rel="noreferrer"
          variant="default"
          size="lg"
          aria-label={texts.open}
        >
          {icon("external-link", 18)}
        </ActionIcon>
      </Tooltip>
      <PlainButton leftSection={icon("pencil", 16)} onClick={open}>
        {texts.edit}
      </PlainButton>
      <PlainButton leftSection={icon("trash", 16)} onClick={() => deleteLink(current.link)}>
        {texts.delete}
      </PlainButton>
      {isEditing && <EditLink current={current} onClose={close} />}
    </>
  );
}
