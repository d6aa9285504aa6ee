/** The frame of every signed-in page: header with navigation, mode switch and account menu. */
import { Anchor, Container, Text, Kbd, type MantineColorScheme, useMantineColorScheme } from "@mantine/core";
import { type HotkeyItem, useHotkeys } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { Link, useLocation } from "wouter";

import type { Mode } from "../../core/account.ts";
import { useAccount, clearQueryCache } from "../api/account.ts";
import { setSignInReason, useSignInReason, forgetSession } from "../api/client.ts";
import { IconButton, SmallButton } from "../components/buttons.tsx";
import { removeAllDrafts } from "../components/draft-storage.ts";
import { isTextField } from "../components/focus-return.ts";
import { lazyDialog, lazyPart, loadPart } from "../components/lazy-part.tsx";
import { leavePage } from "../components/leaving-guard.ts";
import { MenuButton } from "../components/overlay-parts.tsx";
import { icon, Logo } from "../icons.tsx";
import { useMode, useModeSwitch } from "../mode.ts";
import { notifyError } from "../notifications.ts";
import { PALETTE_KEY, shellTexts, shortcutTexts as texts, accountMenuTexts, draftTexts } from "../texts/shell.ts";
import { ExposedKeyNotice, OfflineNotice, ReleaseNotice } from "./notices.tsx";
import { RequireAccount } from "../components/states.tsx";
import classes from "./shell.module.css";

const SessionDialog = lazyDialog(() => import("../pages/auth/session-dialog.tsx"));

const MODES: Mode[] = ["live", "test"];

const NAVIGATION_ITEMS = [
  { to: "/", within: /^\/$/, label: shellTexts.overview },
  { to: "/links", within: /^\/(?:links|import)/, label: shellTexts.links },
  { to: "/tags", within: /^\/tags/, label: shellTexts.tags },
  { to: "/settings/account", within: /^\/settings/, label: shellTexts.settings },
];

export function Shell({ children }: { children: ReactNode }) {
  const { mode } = useMode();
  return (
    <div className={classes.shell} data-mode={mode}>
      <a className={classes.skip} href="#content">
        {shellTexts.skip}
      </a>
      <header className={classes.header}>
        <Container size="lg" className={classes.bar}>
          <Link to="/" className={classes.brand}>
            <Logo />
            Hoplink
          </Link>
          <Navigation />
          <div className={classes.controls}>
            <Shortcuts />
            <ModeSwitch />
            <AccountMenu />
          </div>
        </Container>
      </header>
      {mode === "test" && <TestModeBanner />}
      <OfflineNotice />
      <ReleaseNotice />
      <ExposedKeyNotice />
      <Container size="lg" component="main" id="content" tabIndex={-1} className={classes.main}>
        <RequireAccount>{children}</RequireAccount>
      </Container>
      <EndedSession />
    </div>
  );
}

function EndedSession() {
  const { data: account } = useAccount();
  const reason = useSignInReason();
  return reason && account && <SessionDialog account={account} reason={reason} onClose={() => setSignInReason(null)} />;
}

function Navigation() {
  const [path] = useLocation();
  return (
    <nav aria-label={shellTexts.mainNavigation} className={classes.navigation}>
      {NAVIGATION_ITEMS.map(({ to, within, label }) => (
        <Link key={to} to={to} className={classes.item} aria-current={within.test(path) ? "page" : undefined}>
          {label}
        </Link>
      ))}
      <a href="/docs" className={classes.item}>
        {shellTexts.docs}
      </a>
    </nav>
  );
}

function ModeSwitch() {
  const { mode } = useMode();
  const switchMode = useModeSwitch();
  return (
    // Not Mantine's SegmentedControl: it measures itself, and the page's first paint would wait for that.
    <div role="radiogroup" aria-label={shellTexts.mode} className={classes.modes}>
      {MODES.map((one) => (
        <label key={one} className={classes.mode} data-mode={one}>
          <input type="radio" name="mode" checked={one === mode} onChange={() => switchMode(one)} />
          {shellTexts[one]}
        </label>
      ))}
    </div>
  );
}

function TestModeBanner() {
  return (
    <div className={classes.test} role="note">
      <Container size="lg" className={classes.testText}>
        {icon("flask", 18)}
        <Text size="sm" span>
          <strong>{shellTexts.testMode}</strong> {shellTexts.testModeHint}{" "}
          <Anchor component={Link} to="/settings/api-keys" inherit>
            {shellTexts.testKeys}
          </Anchor>{" "}
          {shellTexts.testKeysHint}
        </Text>
      </Container>
    </div>
  );
}

const CommandPalette = lazyPart(() => import("./command-palette.tsx"));
const ShortcutList = lazyDialog(() => import("./shortcut-list.tsx"));

/**
 * Keyboard shortcuts of every page, the command palette, and the list of shortcuts. Inactive while a text field
 * has the focus or a dialog is open.
 */
function Shortcuts() {
  const [, navigate] = useLocation();
  const [openings, setOpenings] = useState(0);
  const [isListed, setListed] = useState(false);
  const openPalette = () => setOpenings((count) => count + 1);
  const search = () => {
    const field = document.querySelector<HTMLInputElement>("#content search input");
    if (field) field.focus();
    else openPalette();
  };
  useHotkeys(
    [
      asShortcut("mod+K", openPalette),
      asShortcut("/", search),
      asShortcut("C", () => leavePage(() => navigate("/links?dialog=link"))),
      asShortcut("shift+?", () => setListed(true)),
      asShortcut("?", () => setListed(true)),
    ],
    [],
  );
  return (
    <>
      <SmallButton
        onClick={openPalette}
        className={classes.search ?? ""}
        leftSection={icon("search", 16)}
        rightSection={<Kbd size="xs">{PALETTE_KEY}</Kbd>}
        visibleFrom="sm"
      >
        {texts.palette}
      </SmallButton>
      <IconButton label={texts.palette} sign={icon("search")} size="lg" hiddenFrom="sm" onClick={openPalette} />
      {openings > 0 && <CommandPalette openings={openings} />}
      {isListed && <ShortcutList onClose={() => setListed(false)} />}
    </>
  );
}

function asShortcut(key: string, act: () => void): HotkeyItem {
  const handle = (event: KeyboardEvent) => {
    if (isTextField(document.activeElement) || document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    act();
  };
  return [key, handle, { preventDefault: false }];
}

export const COLOR_SCHEME_OPTIONS: { value: MantineColorScheme; label: string }[] = [
  { value: "light", label: accountMenuTexts.light },
  { value: "dark", label: accountMenuTexts.dark },
  { value: "auto", label: accountMenuTexts.system },
];

/** Menu with the account's email address, color scheme and sign-out. */
function AccountMenu() {
  const { data: account } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <MenuButton width={240} button={<IconButton label={accountMenuTexts.menu} sign={icon("user-circle")} size="lg" />}>
      {(Menu) => (
        <>
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
          <Menu.Item leftSection={icon("logout", 16)} onClick={() => leavePage(() => void signOut(), draftTexts.lost)}>
            {accountMenuTexts.signOut}
          </Menu.Item>
        </>
      )}
    </MenuButton>
  );
}

/** Leaves nothing of an account that was signed out or deleted. */
export function useLeaveAccount(): () => void {
  const [, navigate] = useLocation();
  return () => {
    forgetSession();
    navigate("/sign-in");
    clearQueryCache();
    removeAllDrafts(localStorage);
  };
}

function useSignOut(): () => Promise<void> {
  const leave = useLeaveAccount();
  return async () => {
    try {
      const { authClient, unwrapAuth } = await loadPart(() => import("../api/auth.ts"));
      await unwrapAuth(authClient.signOut());
      leave();
    } catch (error) {
      notifyError(accountMenuTexts.signOutFailed, error);
    }
  };
}
