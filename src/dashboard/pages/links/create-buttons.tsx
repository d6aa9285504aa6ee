/** Buttons below the form of a new link. Rules need the Premium plan, which is said before anything is built. */
import { Button, Group, Menu } from "@mantine/core";
import { IconArrowsSplit2, IconChevronDown } from "@tabler/icons-react";

import { useAccount } from "../../api/account.ts";
import { createLinkTexts as texts } from "../../texts/links.ts";
import classes from "./create-link.module.css";

interface CreateButtonsProps {
  isPending: boolean;
  onCancel: () => void;
  onCreateWithRules: () => void;
}

export function CreateButtons({ isPending, onCancel, onCreateWithRules }: CreateButtonsProps) {
  const { data: account } = useAccount();
  const isPremium = account?.plan === "premium";
  return (
    <Group justify="flex-end" className={classes.buttons ?? ""}>
      <Button variant="default" onClick={onCancel}>
        {texts.cancel}
      </Button>
      <Button.Group>
        <Button type="submit" loading={isPending}>
          {texts.create}
        </Button>
        <Menu position="top-end">
          <Menu.Target>
            <Button px="xs" aria-label={texts.moreWays} disabled={isPending} style={{ marginInlineStart: 1 }}>
              <IconChevronDown size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconArrowsSplit2 size={16} aria-hidden />}
              disabled={!isPremium}
              onClick={onCreateWithRules}
            >
              {texts.createAndAddRules}
            </Menu.Item>
            {!isPremium && <Menu.Label>{texts.rulesNeedPremium}</Menu.Label>}
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
    </Group>
  );
}
