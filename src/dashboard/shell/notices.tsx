/**
 * Bars below the header: the browser is offline; a new release is deployed, to which only the user switches; a key was
 * exposed and must be replaced.
 */
import { Button, Container, Group, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";

import { keysQuery, useAccount } from "../api/account.ts";
import { useRelease } from "../api/client.ts";
import { FlatButton } from "../components/buttons.tsx";
import { icon } from "../icons.tsx";
import { useMode } from "../mode.ts";
import { noticeTexts } from "../texts/shell.ts";
import classes from "./shell.module.css";

export function OfflineNotice() {
  const { online } = useNetwork();
  return (
    <Notice icon={icon("wifi-off", 18)}>
      {!online && (
        <>
          <strong>{noticeTexts.offline}</strong> {noticeTexts.offlineHint}
        </>
      )}
    </Notice>
  );
}

export function ReleaseNotice() {
  const { isOutdated } = useRelease();
  const [isDismissed, setDismissed] = useState(false);
  return (
    <Notice
      icon={icon("refresh", 18)}
      actions={
        <Group gap={4} wrap="nowrap">
          <Button size="compact-sm" onClick={() => location.reload()}>
            {noticeTexts.reload}
          </Button>
          <FlatButton onClick={() => setDismissed(true)}>{noticeTexts.later}</FlatButton>
        </Group>
      }
    >
      {isOutdated && !isDismissed && noticeTexts.newRelease}
    </Notice>
  );
}

/** One key at a time: the next is named after this one is revoked. */
export function ExposedKeyNotice() {
  const { mode, setMode } = useMode();
  const { data: account } = useAccount();
  const { data: keys } = useQuery({ ...keysQuery, enabled: account !== undefined });
  const exposed = keys?.data.find(({ exposed_at }) => exposed_at);
  return (
    <Notice
      icon={icon("alert-triangle", 18)}
      actions={
        // The page lists the keys of one mode.
        <Button
          component={Link}
          to="/settings/api-keys"
          size="compact-sm"
          onClick={() => setMode(exposed?.mode ?? mode)}
        >
          {noticeTexts.replaceKey}
        </Button>
      }
    >
      {exposed && (
        <>
          <strong>{noticeTexts.exposedKey(exposed.name, exposed.mode)}</strong>{" "}
          {noticeTexts.exposedKeyHint(location.origin)}
        </>
      )}
    </Notice>
  );
}

/** Shows nothing without content. */
function Notice({ icon, actions, children }: { icon: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <div role="status">
      {children && (
        <div className={classes.notice}>
          <Container size="lg" className={classes.noticeText}>
            {icon}
            <Text size="sm" span flex="1 1 10rem">
              {children}
            </Text>
            {actions}
          </Container>
        </div>
      )}
    </div>
  );
}
