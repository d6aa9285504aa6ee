/** Bars below the header: the browser is offline; a new release is deployed, to which only the person switches. */
import { Button, Container, Group, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { type ReactNode, useState } from "react";

import { useRelease } from "../api/release.ts";
import { icon } from "../icons.tsx";
import { noticeTexts } from "../texts/shell.ts";
import classes from "./shell.module.css";

export function OfflineNotice() {
  const { online } = useNetwork();
  return (
    <div role="status">
      {!online && (
        <Notice icon={icon("wifi-off", 18)}>
          <strong>{noticeTexts.offline}</strong> {noticeTexts.offlineHint}
        </Notice>
      )}
    </div>
  );
}

export function ReleaseNotice() {
  const { isOutdated } = useRelease();
  const [isDismissed, setDismissed] = useState(false);
  return (
    <div role="status">
      {isOutdated && !isDismissed && (
        <Notice
          icon={icon("refresh", 18)}
          actions={
            <Group gap={4} wrap="nowrap">
              <Button size="compact-sm" onClick={() => location.reload()}>
                {noticeTexts.reload}
              </Button>
              <Button size="compact-sm" variant="subtle" onClick={() => setDismissed(true)}>
                {noticeTexts.later}
              </Button>
            </Group>
          }
        >
          {noticeTexts.newRelease}
        </Notice>
      )}
    </div>
  );
}

function Notice({ icon, actions, children }: { icon: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.notice}>
      <Container size="lg" className={classes.noticeText}>
        {icon}
        <Text size="sm" span flex="1 1 10rem">
          {children}
        </Text>
        {actions}
      </Container>
    </div>
  );
}
