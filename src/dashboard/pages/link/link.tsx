/** Page of one link: its header, with summary and actions. The tabs below it are loaded later. */
import { Skeleton, ActionIcon, Badge, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";

import type { LinkOriginAnswer } from "../../../core/contract/dashboard.ts";
import type { Link } from "../../../core/contract/links.ts";
import { ApiError } from "../../api/api-error.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { BreakableAddress } from "../../components/breakable-address.tsx";
import { CopyIconButton, Hint, IconButton, PlainButton } from "../../components/buttons.tsx";
import { lazyDialog, lazyPart } from "../../components/lazy-part.tsx";
import { MenuButton } from "../../components/overlay-parts.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, ErrorState, PageSkeleton } from "../../components/states.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { linkName, readableUrl } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { linkPageTexts, linkHeaderTexts } from "../../texts/link.ts";
import { handOverTexts, linkListTexts } from "../../texts/links.ts";
import { SwitchItems, useDeleteLink } from "../links/switch-actions.tsx";
import { Hop } from "./hop.tsx";
import classes from "./link-header.module.css";
import { type LinkWithEtag, useLink, useLinkBuckets } from "./use-link.ts";

const LinkTabs = lazyPart(() => import("./link-tabs.tsx"), <Skeleton height={420} />, "link-tabs");

const CreateLink = lazyDialog(() => import("../links/create-link.tsx"));
const EditLink = lazyDialog(() => import("./edit-link.tsx"));
const BulkChange = lazyDialog(() => import("../links/bulk-changes.tsx"));

export default function LinkDetails({ id }: { id: string }) {
  const { data, error, refetch } = useLink(id);
  const isGone = error instanceof ApiError && error.status === 404;
  // The key resets the page's state when another link is opened.
  if (data && !isGone) return <LinkPage key={id} current={data} />;
  if (!error) return <PageSkeleton />;
  return (
    <Page title={linkPageTexts.title}>
      {isGone ? (
        <EmptyState icon={icon("link-off")} title={linkPageTexts.notFound} action={linkPageTexts.allLinks} to="/links">
          {linkPageTexts.notFoundHint}
        </EmptyState>
      ) : (
        <ErrorState error={error} retry={() => void refetch()} />
      )}
    </Page>
  );
}

function LinkPage({ current }: { current: LinkWithEtag }) {
  const { link } = current;
  return (
    <Page
      title={linkName(link)}
      beside={<LinkHeadingTools link={link} />}
      description={<LinkSummary link={link} />}
      actions={<LinkActions current={current} />}
    >
      <AddressList link={link} />
      <LinkTabs current={current} />
    </Page>
  );
}

/** Longer addresses may be truncated on a phone. */
const SHOWN_URL_CHARS = 60;

/** Shown beside the heading, which is the short URL. */
function LinkHeadingTools({ link }: { link: Link }) {
  const { password_protected, password_locked_until: lockedUntil, archived } = link;
  const password = lockedUntil
    ? { color: "red", text: linkHeaderTexts.locked(formatDateTime(lockedUntil)) }
    : { color: "gray", text: linkHeaderTexts.password };
  const badges: { color: string; text: string; title?: string }[] = [
    linkStatus(link),
    ...(password_protected ? [password] : []),
    ...(archived ? [{ color: "gray", text: linkHeaderTexts.archived }] : []),
  ];
  return (
    <>
      <CopyIconButton value={link.short_url} label={linkHeaderTexts.shortUrl} />
      {badges.map(({ text, ...badge }) => (
        <Badge key={text} component="span" {...badge}>
          {text}
        </Badge>
      ))}
    </>
  );
}

function LinkSummary({ link }: { link: Link }) {
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
        <Destination text={linkListTexts.leadsTo(readableUrl(url))} url={url} />
      </Group>
      {fallback_url !== undefined && (
        <Destination text={linkHeaderTexts.fallback(readableUrl(fallback_url))} url={fallback_url} />
      )}
      <Text span size="xs" title={formatDateTime(created_at)}>
        {linkHeaderTexts.created(formatDate(created_at))}
      </Text>
    </Stack>
  );
}

/** Truncated: the title has the whole address, and it can be copied. */
function Destination({ text, url }: { text: string; url: string }) {
  return (
    <Group gap={4} component="span" wrap="nowrap" align="flex-start">
      <Text span size="sm" className={classes.destination} lineClamp={3} title={url}>
        <BreakableAddress text={text} />
      </Text>
      {url.length > SHOWN_URL_CHARS && <CopyIconButton value={url} label={linkHeaderTexts.wholeUrl} />}
    </Group>
  );
}

function linkStatus({ starts_at, expires_at, paused }: Link): { color: string; text: string; title?: string } {
  const now = Date.now();
  if (expires_at !== null && Date.parse(expires_at) <= now) {
    return { color: "red", text: linkHeaderTexts.expired(formatDate(expires_at)), title: formatDateTime(expires_at) };
  }
  if (paused) return { color: "orange", text: linkHeaderTexts.paused };
  if (starts_at !== undefined && Date.parse(starts_at) > now) {
    return { color: "yellow", text: linkHeaderTexts.opens(formatDateTime(starts_at)) };
  }
  if (expires_at === null) return { color: "green", text: linkHeaderTexts.active };
  return { color: "yellow", text: linkHeaderTexts.activeUntil(formatDateTime(expires_at)) };
}

/** The short URLs of a link that has aliases, each with a copy button and its clicks. */
function AddressList({ link }: { link: Link }) {
  const { aliases = [], id } = link;
  const buckets = useLinkBuckets(id, "address", aliases.length > 0);
  if (aliases.length === 0) return null;
  const clicksOf = ({ short_url }: { short_url: string }) =>
    buckets?.find(({ key }) => short_url.endsWith(`//${key}`))?.clicks ?? 0;
  return (
    <Paper
      withBorder
      p="xs"
      component="ul"
      m={0}
      aria-label={linkHeaderTexts.addresses}
      className={classes.addresses ?? ""}
    >
      {[link, ...aliases].map((each) => (
        <Group key={each.short_url} component="li" gap="xs" wrap="nowrap">
          <Text span size="sm" className={classes.destination}>
            {linkName(each)}
          </Text>
          <CopyIconButton value={each.short_url} label={linkName(each)} />
          {buckets && <Hint span>{linkHeaderTexts.clicks(clicksOf(each))}</Hint>}
        </Group>
      ))}
    </Paper>
  );
}

function LinkActions({ current }: { current: LinkWithEtag }) {
  const [dialog, setDialog] = useState<"edit" | "duplicate" | "hand-over" | null>(null);
  const onClose = () => setDialog(null);
  const canHandOver = useIsFromDashboard(current.link);
  const [, navigate] = useLocation();
  const { mode } = useApi();
  const deleteLink = useDeleteLink(() => {
    // The cached link must not be shown again: returning to it fetches it, which is a 404.
    void queryClient.invalidateQueries({ queryKey: [mode, "link", current.link.id], refetchType: "none" });
    navigate("/links");
  });
  return (
    <>
      <ActionIcon
        component="a"
        href={current.link.short_url}
        target="_blank"
        rel="noreferrer"
        variant="default"
        size="lg"
        aria-label={linkHeaderTexts.open}
        data-tip={linkHeaderTexts.open}
      >
        {icon("external-link", 18)}
      </ActionIcon>
      <PlainButton leftSection={icon("pencil", 16)} onClick={() => setDialog("edit")}>
        {linkHeaderTexts.edit}
      </PlainButton>
      <MenuButton
        button={
          <IconButton
            label={linkListTexts.moreFor(linkName(current.link))}
            sign={icon("dots", 18)}
            variant="default"
            size="lg"
          />
        }
      >
        {(Menu) => (
          <>
            <Menu.Item leftSection={icon("copy-plus", 16)} onClick={() => setDialog("duplicate")}>
              {linkListTexts.duplicate}
            </Menu.Item>
            <SwitchItems Menu={Menu} link={current.link} />
            {canHandOver && (
              <Menu.Item leftSection={icon("plug", 16)} onClick={() => setDialog("hand-over")}>
                {handOverTexts.label}
              </Menu.Item>
            )}
          </>
        )}
      </MenuButton>
      <PlainButton leftSection={icon("trash", 16)} onClick={() => deleteLink(current.link)}>
        {linkHeaderTexts.delete}
      </PlainButton>
      {dialog === "edit" && <EditLink id={current.link.id} current={current} onClose={onClose} />}
      {dialog === "duplicate" && <CreateLink url="" copied={current.link} onClose={onClose} />}
      {dialog === "hand-over" && (
        <BulkChange action="handOver" links={[current.link]} onSelect={() => {}} onClose={onClose} />
      )}
    </>
  );
}

/** Whether the link was created in the dashboard, so that it can be handed over to the API. */
function useIsFromDashboard({ id }: Link): boolean {
  const { api, mode } = useApi();
  const { data } = useQuery({
    // Its key extends that of the link, so that it is fetched again with it.
    queryKey: [mode, "link", id, "origin"],
    queryFn: () => unwrap<LinkOriginAnswer>(api.links[":id"].origin.$get({ param: { id } })),
  });
  return data?.origin === "dashboard";
}
