/** Buttons of a row: QR code, and a menu with the rest. */
import { ActionIcon, Group, Menu } from "@mantine/core";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { IconArrowsSplit2, IconChartBar, IconDots, IconExternalLink, IconTrash } from "../../icons.tsx";
import { linkListTexts as texts } from "../../texts/links.ts";
import { QrPopover } from "./qr-popover.tsx";
import { useDeleteLink } from "./use-delete-link.tsx";
import classes from "./link-list.module.css";
import { linkName } from "../../formatting/hosts.ts";

export function RowActions({ link }: { link: Link }) {
  const deleteLink = useDeleteLink();
  const name = linkName(link);
  return (
    <Group gap={4} wrap="nowrap" className={classes.above}>
      <QrPopover link={link} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.moreFor(name)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component={RouterLink}
            to={`/links/${link.id}`}
            leftSection={<IconChartBar size={16} aria-hidden />}
          >
            {texts.open}
          </Menu.Item>
          <Menu.Item
            component={RouterLink}
            to={`/links/${link.id}?tab=rules`}
            leftSection={<IconArrowsSplit2 size={16} aria-hidden />}
          >
            {texts.editRules}
          </Menu.Item>
          <Menu.Item
            component="a"
            href={link.short_url}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconExternalLink size={16} aria-hidden />}
          >
            {texts.visit}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => deleteLink(link)}>
            {texts.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
