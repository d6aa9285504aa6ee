/** A row of the list of links. */
import { ActionIcon, Anchor, Badge, Group, Menu, Text, Tooltip } from "@mantine/core";
import { IconDots, IconExternalLink, IconPencil, IconQrcode, IconTrash } from "@tabler/icons-react";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { formatDate, formatDateTime } from "../../formatting/dates.ts";
import { useDeleteLink } from "./use-delete-link.tsx";
import classes from "./link-list.module.css";

export function LinkRow({ link }: { link: Link }) {
  const deleteLink = useDeleteLink();
  const displayUrl = `${link.domain}/${link.slug}`;
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <div className={classes.short}>
          <Anchor component={RouterLink} to={`/links/${link.id}`}>
            {displayUrl}
          </Anchor>
          <CopyIconButton value={link.short_url} label={`short URL ${displayUrl}`} />
        </div>
        <Text size="sm" c="dimmed" className={classes.destination} title={link.url}>
          {link.url}
        </Text>
      </div>
      <Group gap="xs" className={classes.facts}>
        <LinkBadges link={link} />
        <Text size="sm" c="dimmed" title={formatDateTime(link.created_at)}>
          {formatDate(link.created_at)}
        </Text>
      </Group>
      <Group gap={4} wrap="nowrap">
        <Tooltip label="QR code">
          <ActionIcon
            component={RouterLink}
            to={`/links/${link.id}?tab=qr`}
            variant="subtle"
            color="gray"
            aria-label={`QR code of ${displayUrl}`}
          >
            <IconQrcode size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label={`More for ${displayUrl}`}>
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              component={RouterLink}
              to={`/links/${link.id}`}
              leftSection={<IconPencil size={16} aria-hidden />}
            >
              Open and edit
            </Menu.Item>
            <Menu.Item
              component="a"
              href={link.short_url}
              target="_blank"
              rel="noreferrer"
              leftSection={<IconExternalLink size={16} aria-hidden />}
            >
              Visit
            </Menu.Item>
            <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => deleteLink(link)}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
    </li>
  );
}

function LinkBadges({ link: { expires_at, routing } }: { link: Link }) {
  const expired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <>
      {routing.length > 0 && (
        <Badge variant="default" tt="none">
          {routing.length} {routing.length === 1 ? "rule" : "rules"}
        </Badge>
      )}
      {expires_at && (
        <Badge variant="default" tt="none" title={formatDateTime(expires_at)}>
          {expired ? "Expired" : `Until ${formatDate(expires_at)}`}
        </Badge>
      )}
    </>
  );
}
