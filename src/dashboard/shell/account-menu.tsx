/** Menu with the account's e-mail address, colour scheme and sign-out. */
import { ActionIcon, Menu, type MantineColorScheme, Text, useMantineColorScheme } from "@mantine/core";
import { Link, useLocation } from "wouter";

import { clearQueryCache, useAccount } from "../api/account.ts";
import { forgetSession } from "../api/session.ts";
import { loadPart } from "../components/load-part.ts";
import { icon } from "../icons.tsx";
import { removeAllDrafts } from "../pages/link/rules/draft-storage.ts";
import { notifyError } from "../notifications.ts";
import { accountMenuTexts } from "../texts/shell.ts";

const COLOR_SCHEME_OPTIONS: { value: MantineColorScheme; label: string }[] = [
  { value: "light", label: accountMenuTexts.light },
  { value: "dark", label: accountMenuTexts.dark },
  { value: "auto", label: accountMenuTexts.system },
];

export function AccountMenu() {
  const { data: account } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={accountMenuTexts.menu}>
          {icon("user-circle")}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {account && (
          <Menu.Label>
            <Text size="xs" truncate>
              {account.email}
            </Text>
            {account.plan === "premium" ? accountMenuTexts.premiumPlan : accountMenuTexts.freePlan}
          </Menu.Label>
        )}
        <Menu.Item component={Link} to="/settings/account" leftSection={icon("settings", 16)}>
          {accountMenuTexts.settings}
        </Menu.Item>
        {account?.is_operator && (
          <Menu.Item component={Link} to="/operator" leftSection={icon("gauge", 16)}>
            {accountMenuTexts.operator}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{accountMenuTexts.colors}</Menu.Label>
        {COLOR_SCHEME_OPTIONS.map(({ value, label }) => (
          <Menu.Item
            key={value}
            onClick={() => setColorScheme(value)}
            rightSection={colorScheme === value && icon("check", 16, { "aria-label": accountMenuTexts.chosen })}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={icon("logout", 16)} onClick={() => void signOut()}>
          {accountMenuTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useSignOut(): () => Promise<void> {
  const [, navigate] = useLocation();
  return async () => {
    try {
      const { authClient, unwrapAuth } = await loadPart(() => import("../api/auth.ts"));
      await unwrapAuth(authClient.signOut());
      forgetSession();
      navigate("/sign-in");
      clearQueryCache();
      removeAllDrafts(localStorage);
    } catch (error) {
      notifyError(accountMenuTexts.signOutFailed, error);
    }
  };
}
