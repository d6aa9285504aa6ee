/** The frame of every signed-in page: header with navigation, mode switch and account menu. */
import { Anchor, Container, SegmentedControl, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";

import type { Mode } from "../../core/account.ts";
import { useAccount } from "../api/account.ts";
import { setSessionEnded, useSessionEnded } from "../api/session.ts";
import { lazyDialog } from "../components/lazy-part.tsx";
import { icon } from "../icons.tsx";
import { useMode } from "../mode.ts";
import { shellTexts } from "../texts/shell.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Logo } from "./logo.tsx";
import { OfflineNotice, ReleaseNotice } from "./notices.tsx";
import classes from "./shell.module.css";
import { Shortcuts } from "./shortcuts.tsx";
import { RequireAccount } from "./require-account.tsx";

const SessionDialog = lazyDialog(() => import("../pages/auth/session-dialog.tsx"));

/** White text on the palette's oranges fails the contrast. */
const TEST_MODE_COLOR = "#a33d00";

const NAVIGATION_ITEMS = [
  { to: "/", section: "/", label: shellTexts.overview },
  { to: "/links", section: "/links", label: shellTexts.links },
  { to: "/tags", section: "/tags", label: shellTexts.tags },
  { to: "/settings/api-keys", section: "/settings", label: shellTexts.settings },
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
      <Container size="lg" component="main" id="content" tabIndex={-1} className={classes.main}>
        <RequireAccount>{children}</RequireAccount>
      </Container>
      <EndedSession />
    </div>
  );
}

function EndedSession() {
  const { data: account } = useAccount();
  return useSessionEnded() && account && <SessionDialog account={account} onClose={() => setSessionEnded(false)} />;
}

function Navigation() {
  const [path] = useLocation();
  return (
    <nav aria-label={shellTexts.mainNavigation} className={classes.navigation}>
      {NAVIGATION_ITEMS.map(({ to, section, label }) => (
        <Link key={to} to={to} className={classes.item} aria-current={isWithin(path, section) ? "page" : undefined}>
          {label}
        </Link>
      ))}
      <a href="/docs" className={classes.item}>
        {shellTexts.docs}
      </a>
    </nav>
  );
}

function isWithin(path: string, section: string): boolean {
  return section === "/" ? path === "/" : path.startsWith(section);
}

function ModeSwitch() {
  const { mode, setMode } = useMode();
  const [path, navigate] = useLocation();
  const change = (next: string) => {
    // A link belongs to one mode: its page would be a 404 in the other.
    if (path.startsWith("/links/")) navigate("/links");
    setMode(next as Mode);
  };
  return (
    <SegmentedControl
      size="xs"
      aria-label={shellTexts.mode}
      classNames={{ label: classes.mode ?? "" }}
      value={mode}
      onChange={change}
      color={mode === "test" ? TEST_MODE_COLOR : "brand"}
      data={[
        { value: "live", label: shellTexts.live },
        { value: "test", label: shellTexts.test },
      ]}
    />
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
