/** Colour scheme, account and sign-out. */
import { ActionIcon, Menu, type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconUserCircle } from "@tabler/icons-react";
import { Link } from "wouter";

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "auto", label: "As the system" },
];

export function AccountMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account menu">
          <IconUserCircle aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/settings/account">
          Account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(({ value, label }) => (
          <Menu.Item
            key={value}
            onClick={() => setColorScheme(value)}
            rightSection={colorScheme === value && <IconCheck size={16} aria-label="chosen" />}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
