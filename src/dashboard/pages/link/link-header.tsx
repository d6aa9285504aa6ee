/** Header of a link's page: summary and actions. */
import { ActionIcon, Anchor, Badge, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconExternalLink, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { useApi } from "../../api/client.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { useDeleteLink } from "../links/use-delete-link.tsx";
import { EditLink } from "./edit-link.tsx";
import classes from "./link-header.module.css";
import type { LinkRevision } from "./use-link.ts";

export function LinkSummary({ link }: { link: Link }) {
  return (
    <Stack gap={4} component="span">
      <Group gap={4} component="span">
        <Anchor href={link.short_url} target="_blank" rel="noreferrer" className={classes.url}>
          {link.short_url}
        </Anchor>
        <CopyIconButton value={link.short_url} label="short URL" />
        <LinkStatus link={link} />
      </Group>
      <Text span size="sm" className={classes.url}>
        leads to {link.url}
      </Text>
      <Text span size="xs" title={formatDateTime(link.created_at)}>
        Created {formatDate(link.created_at)}
      </Text>
    </Stack>
  );
}

function LinkStatus({ link: { expires_at } }: { link: Link }) {
  if (expires_at === null) {
    return (
      <Badge component="span" variant="light" color="green" tt="none">
        Active
      </Badge>
    );
  }
  const expired = Date.parse(expires_at) <= Date.now();
  return (
    <Badge
      component="span"
      variant="light"
      color={expired ? "red" : "yellow"}
      tt="none"
      title={formatDateTime(expires_at)}
    >
      {expired ? `Expired ${formatDate(expires_at)}` : `Active until ${formatDateTime(expires_at)}`}
    </Badge>
  );
}

export function LinkActions({ current }: { current: LinkRevision }) {
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
      <Tooltip label="Open the short URL">
        <ActionIcon
          component="a"
          href={current.link.short_url}
          target="_blank"
          rel="noreferrer"
          variant="default"
          size="lg"
          aria-label="Open the short URL"
        >
          <IconExternalLink size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={open}>
        Edit
      </Button>
      <Button
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => deleteLink(current.link)}
      >
        Delete
      </Button>
      {isEditing && <EditLink current={current} onClose={close} />}
    </>
  );
}
